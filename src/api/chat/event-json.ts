/** The JSON of one event or reply, and the errors that any of the formats may put there. */
import { utf8 } from '../../http/sse.js';
import { defaultMaxValues, maxDepth, weigh } from '../json-reply.js';
import { isRecord, textOf, type JsonRecord } from '../../lib/json.js';
import { StreamFault } from './listener.js';

/** @throws StreamFault when the data is no JSON object; an error may be told in bare words. */
export function parseEvent(name: string | undefined, data: string): JsonRecord {
  return parseObject(Buffer.from(data, 'latin1'), () =>
    name === 'error'
      ? new StreamFault(utf8(data))
      : new StreamFault('the stream holds an event that is not JSON', 'invalid_event'),
  );
}

/** Less JSON than this is little in memory too, whatever it holds. */
const smallBytes = 16 * 1024;

/**
 * @param notJson what is wrong where it is none.
 * @throws StreamFault for that, for what is no object, and for more values than svc reads.
 */
export function parseObject(json: Buffer, notJson: () => StreamFault): JsonRecord {
  const { values, depth } = json.length > smallBytes ? weigh(json) : { values: 0, depth: 0 };
  if (values > defaultMaxValues || depth > maxDepth) {
    throw new StreamFault('it holds JSON of more values than svc reads', 'too_many_values');
  }
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch {
    throw notJson();
  }
  if (isRecord(value)) return value;
  if (typeof value === 'string') throw new StreamFault(value);
  throw new StreamFault('the stream holds an event that is no object', 'invalid_event');
}

/**
 * Throws when the event reports a failure: `{error: {message, code}}`, `{error: "text"}`, or
 * the flat `{type: "error", message, code}` and `{ok: false, message, code}`.
 */
export function refuseError(name: string | undefined, event: JsonRecord): void {
  const { error } = event;
  if (typeof error === 'string' && error !== '') throw new StreamFault(error);
  if (isRecord(error)) throw faultFrom(error);
  if (error) throw new StreamFault('');
  if (event['type'] === 'error' || event['ok'] === false || name === 'error')
    throw faultFrom(event);
}

/** @param error `{message, code | type}`, as far as it is told. */
export function faultFrom(error: JsonRecord): StreamFault {
  const type = error['type'] === 'error' ? undefined : textOf(error['type']);
  const code = error['code'];
  return new StreamFault(
    textOf(error['message']) ?? '',
    typeof code === 'string' || typeof code === 'number' ? String(code) : type,
  );
}

const failures: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'canceled', 'error']);
const underWay: ReadonlySet<unknown> = new Set(['in_progress', 'queued']);

/**
 * Throws when the end of an answer says that it is no answer, whatever event or reply brought it.
 * @param status of the answer, or the reason why it ended.
 * @param error what the service tells with it.
 */
export function refuseEnd(status: unknown, error: unknown): void {
  if (isRecord(error)) throw faultFrom(error);
  if (failures.has(status)) {
    throw new StreamFault('the service reported that the answer failed', 'answer_failed');
  }
  if (underWay.has(status)) {
    throw new StreamFault('it ended while the service was still at it', 'answer_unfinished');
  }
}
