/** Finds the list in a reply whose shape the specification does not show. */
import { isRecord, type JsonRecord } from '../lib/json.js';

export interface FoundList {
  readonly entries: readonly JsonRecord[];
  /** The fields beside it. */
  readonly rest: JsonRecord;
  /** The reply with other entries in their place. */
  readonly holding: (entries: readonly unknown[]) => unknown;
}

/** The reply itself, or the content of one field. */
export function listIn(data: unknown): FoundList | undefined {
  if (isRecords(data)) return { entries: data, rest: {}, holding: (entries) => entries };
  if (!isRecord(data)) return undefined;
  const holders = Object.keys(data).filter((name) => isRecords(data[name]));
  const name = ['data', 'models', 'keys'].find((one) => holders.includes(one)) ?? holders[0];
  if (name === undefined) return undefined;
  const { [name]: list, ...rest } = data;
  const holding = (entries: readonly unknown[]) => ({ ...data, [name]: entries });
  return isRecords(list) ? { entries: list, rest, holding } : undefined;
}

function isRecords(value: unknown): value is readonly JsonRecord[] {
  return Array.isArray(value) && value.every(isRecord);
}
