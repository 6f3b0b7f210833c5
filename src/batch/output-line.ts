/** Where the parts of a line of OUT are, found without parsing it: a batch may have millions. */
import { UsageError } from '../errors.js';
import { parsedJson, recordOf } from '../lib/json.js';

/** What every line of OUT begins with. */
export const lineHead = '{"id":"batch_req_';
/** The start of a line of OUT, up to its custom_id. */
export const lineStart = (id16: string) => `${lineHead}${id16}","custom_id":`;
const idOffset = lineStart('0'.repeat(16)).length;
const ownStart = Buffer.from(',"svc":{"cost":{"priceRub":');
/** By its first byte: how far a place where that text is not is from the one before it to look at. */
const ownShifts = Array.from({ length: 256 }, (_, byte) => {
  const at = ownStart.indexOf(byte, 1);
  return at === -1 ? ownStart.length : at;
});
const noError = Buffer.from(',"error":null');
/** What was once written as an answer: `null`, `{}`, `[]`, a text, or a chat without choices. */
const noAnswers = ['null', '"', '{}', '[]'].map((end) => Buffer.from(`${end}},"error":null`));
const noChoices = Buffer.from('"choices":[]');
const emptyList = noChoices.subarray(-2);

/** The end of the JSON string that begins at `from`; -1 where there is none. */
export function stringEnd(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] !== 0x22) return -1;
  for (let at = from + 1; at < to; at += 1) {
    if (bytes[at] === 0x5c) at += 1;
    else if (bytes[at] === 0x22) return at + 1;
  }
  return -1;
}

/** Where the parts of a line of OUT are. @throws UsageError for another line */
export function partsOf(output: string, bytes: Buffer, from: number, to: number) {
  const idFrom = from + idOffset;
  const idTo = stringEnd(bytes, idFrom, to);
  if (idTo === -1) throw notOurs(output);
  let svcAt = to - ownStart.length;
  while (svcAt >= idTo && !isAt(bytes, svcAt, ownStart)) svcAt -= ownShifts[bytes[svcAt] ?? 0] ?? 1;
  if (svcAt < idTo) throw notOurs(output);
  const isBefore = (end: Buffer) => isAt(bytes, svcAt - end.length, end);
  const isEmpty =
    noAnswers.some(isBefore) ||
    (noChoicesAfter(bytes, idTo) < svcAt && lacksChoices(bytes, from, to));
  const isDone = isBefore(noError) && !isEmpty;
  return { idFrom, idTo, isDone, costAt: svcAt + ownStart.length };
}

/** Whether the text is there. For so few bytes, the methods of a buffer take longer. */
function isAt(bytes: Buffer, from: number, text: Buffer): boolean {
  for (let at = 0; at < text.length; at += 1) if (bytes[from + at] !== text[at]) return false;
  return true;
}

/** What was last looked for in a block, and where it is. */
let next: { readonly block: Buffer; readonly from: number; readonly at: number } | undefined;

/** Where a reply without choices may be next: each block is searched once, not line by line. */
function noChoicesAfter(block: Buffer, from: number): number {
  if (block !== next?.block || from < next.from || from > next.at) {
    // The shorter text is found in a quarter of the time.
    let at = from;
    do at = block.indexOf(emptyList, at + 1);
    while (at !== -1 && !isAt(block, at + emptyList.length - noChoices.length, noChoices));
    next = { block, from, at: at === -1 ? Infinity : at };
  }
  return next.at;
}

/** Whether the reply of a line has none: an answer may also contain that text, in a tool call. */
function lacksChoices(bytes: Buffer, from: number, to: number): boolean {
  const line = recordOf(parsedJson(bytes.toString('utf8', from, to)));
  const { choices } = recordOf(recordOf(line['response'])['body']);
  return Array.isArray(choices) && choices.length === 0;
}

/** A price as JSON has it, up to its bracket; 0 for null. */
export function rubAt(bytes: Buffer, from: number): number {
  let [digits, divisor] = [0, 0];
  for (let at = from; ; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x2e) divisor = 1;
    else if (byte >= 0x30 && byte <= 0x39) {
      digits = digits * 10 + (byte & 15);
      divisor *= 10;
    } else if (byte === 0x7d && digits < 2 ** 53) return digits / (divisor || 1);
    else return parseFloat(bytes.toString('latin1', from, from + 32)) || 0;
  }
}

export function notOurs(path: string): UsageError {
  return new UsageError(`${path} was not written by this batch`, {
    code: 'other_output',
    hint: 'choose another file',
  });
}
