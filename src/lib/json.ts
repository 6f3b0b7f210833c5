/** The one door for JSON from outside: what svc reads here and writes again keeps its digits. */

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
  return typeof value === 'string' ? value : toJson(value);
}

/** The text of a field of a record, or of an item of a list, as `valueText` has it. */
export function fieldText(holder: object, name: string | number): string {
  if (!isHolder(holder)) return '';
  return digitsOf(holder, String(name)) ?? valueText(holder[name]);
}

/** The value of a text; undefined when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * In a record or a list, the texts of those numbers that JavaScript would write otherwise, such as
 * 12345678901234567890 or 1.10. The values stay numbers, and a copy by spread keeps their texts.
 */
const digits = Symbol('digits');
type Holder = JsonRecord & { [digits]?: Map<string, string> };

/** Begins a text that stands for such a number; empty until there is one. It cannot be guessed. */
let mark = '';
let markedNumbers = /^/g;

function makeMark(): void {
  if (mark !== '') return;
  mark = crypto.randomUUID();
  markedNumbers = new RegExp(`"${mark}([^"]+)"`, 'g');
}

/** Finds such a number, and seldom something else: to look at each number takes longer. */
const mayHaveDigits =
  /\d(?:[\d.]{15,}[\s,\]}]|[eE][-+]?\d+[\s,\]}]|\.0{6})|\.\d*0[\s,\]}]|-0[\s,\]}]/;
const textsAndNumbers = /"(?:[^"\\]+|\\.)*"|-?\d[-+.\w]*/g;

/** JSON.parse, of which `toJson` writes each number as it was. @throws SyntaxError */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayHaveDigits.test(text)) return value;
  // From Node 22 on, JSON.parse hands over the text of a number itself.
  const markedText = text.replace(textsAndNumbers, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    makeMark();
    return `"${mark}${token}"`;
  });
  return markedText === text ? value : JSON.parse(markedText, withOwnDigits);
}

function withOwnDigits(this: Holder, name: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(mark)) return value;
  const text = value.slice(mark.length);
  (this[digits] ??= new Map()).set(name, text);
  return Number(text);
}

function digitsOf(holder: Holder, name: string): string | undefined {
  const text = holder[digits]?.get(name);
  // The value may be another one by now.
  return text !== undefined && Object.is(Number(text), holder[name]) ? text : undefined;
}

/** A number that is set in a record or list is written as the text that it was given as. */
export function keepDigits(holder: object, name: string, text: string): void {
  if (!isHolder(holder) || typeof holder[name] !== 'number' || String(holder[name]) === text)
    return;
  makeMark();
  (holder[digits] ??= new Map()).set(name, text);
}

/** Gives a copy of a record or list that was made field by field the digits of its numbers. */
export function withDigits<Copy>(copy: Copy, value: unknown): Copy {
  if (!isHolder(copy) || !isHolder(value) || !value[digits]) return copy;
  copy[digits] = new Map([...(copy[digits] ?? []), ...value[digits]]);
  return copy;
}

/** The same for a copy that a schema has made, and for all within it. */
export function withAllDigits<Copy>(copy: Copy, value: unknown): Copy {
  if (mark === '' || copy === value || !isHolder(copy) || !isHolder(value)) return copy;
  for (const name of Object.keys(value)) withAllDigits(copy[name], value[name]);
  return withDigits(copy, value);
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

/** JSON.stringify, with the digits of the numbers that `parseJson` has read. */
export function toJson(value: unknown, indent?: number): string {
  if (mark === '' || !isHolder(value)) return JSON.stringify(value, undefined, indent);
  return withoutMarks(JSON.stringify(value, marked, indent));
}

function marked(this: Holder, name: string, value: unknown): unknown {
  const text = digitsOf(this, name);
  return text === undefined ? value : mark + text;
}

function withoutMarks(json: string): string {
  return mark === '' ? json : json.replaceAll(markedNumbers, '$1');
}

export function isJsonNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** Canonical JSON: equal values give equal texts, whatever the order of their fields. */
export function canonicalJson(value: unknown): string {
  const json = JSON.stringify(value, function (this: Holder, name, inner: unknown) {
    const one = marked.call(this, name, inner);
    if (!isRecord(one)) return one;
    const sorted = Object.entries(one).sort(([name], [other]) => (name < other ? -1 : 1));
    return withDigits(Object.fromEntries(sorted), one);
  });
  return withoutMarks(json);
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
