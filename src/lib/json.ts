export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A text unchanged; anything else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value of a text; undefined when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The list in a reply of unknown shape: the reply itself, or the content of one field. */
export function listIn(data: unknown) {
  if (isRecords(data)) return { entries: data, rest: {} };
  if (!isRecord(data)) return undefined;
  const holders = Object.keys(data).filter((name) => isRecords(data[name]));
  const name = ['data', 'models', 'keys'].find((one) => holders.includes(one)) ?? holders[0];
  const { [name ?? '']: list, ...rest } = data;
  return isRecords(list) ? { entries: list, rest } : undefined;
}

function isRecords(value: unknown): value is readonly JsonRecord[] {
  return Array.isArray(value) && value.every(isRecord);
}

export function isJsonNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** That number; undefined for another text, or for one that parsing would change. */
export function exactNumber(text: string): number | undefined {
  if (!isJsonNumber(text)) return undefined;
  const value = Number(text);
  const isExact = /[.eE]/.test(text) ? Number.isFinite(value) : Number.isSafeInteger(value);
  return isExact ? value : undefined;
}

/** Canonical JSON: equal values give equal texts, whatever the order of their fields. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(byName)) : inner,
  );
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** A step of a JSON Pointer (RFC 6901). */
export function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Where a text stops being JSON. The parser's own message may quote a key in it. */
export function jsonFault(text: string, error: unknown): string {
  const words = error instanceof Error ? error.message : '';
  if (words.includes('end of JSON')) return ': it ends unexpectedly';
  const position = / at position (\d+)/.exec(words)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` at line ${String(before.length)}, column ${String((before.at(-1) ?? '').length + 1)}`;
}
