/** Lines of MCP: messages of JSON-RPC 2.0, whose ids and tokens keep their digits. */
import { maxRequestBytes } from '../../files/named-file.js';
import { GrowingBytes } from '../../lib/growing.js';
import { isRecord, parsedJson, recordOf, withDigits, type JsonRecord } from '../../lib/json.js';
import { utf8Text } from '../../lib/plain-text.js';

export const errorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
};

/** A refusal that a program reads, not a model. */
export class ProtocolError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The lines that an agent writes; of what is longer than a request may be, only so much that it is
 * known to be. Blank ones are passed over.
 */
export async function* linesOf(pieces: AsyncIterable<Buffer>, note: (words: string) => void) {
  let line = new GrowingBytes();
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      keep(line, piece.subarray(start, end));
      const bytes = line.toBuffer();
      if (!['', '\r'].includes(bytes.toString('latin1', 0, 2))) yield bytes;
      line = new GrowingBytes();
      start = end + 1;
    }
    keep(line, piece.subarray(start));
  }
  if (line.length > 0) note('the last line on stdin has no end and was not read');
}

function keep(line: GrowingBytes, bytes: Buffer): void {
  if (line.length <= maxRequestBytes) line.add(bytes);
}

/** A request, or without an id a notification. */
export interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: JsonRecord;
}

/** What a line is: a message, a response, or neither. */
interface ReadLine {
  readonly message?: Message;
  readonly response?: JsonRecord;
  /** The answer to what is neither; a notification has none. */
  readonly fault?: object;
  /** Whether it is a request or a notification, though one that is not served. */
  readonly isRequest?: boolean;
}

/** A mark of UTF-8, blanks and a carriage return around the message are passed over. */
export function readLine(line: Buffer): ReadLine {
  const isLong = line.length > maxRequestBytes;
  const value = isLong ? undefined : parsedJson(utf8Text(line) ?? '');
  if (value === undefined) {
    const fault = isLong ? `longer than ${maxRequestBytes} bytes` : 'not JSON in UTF-8';
    return { fault: faultIn({}, errorCodes.parse, `the line is ${fault}`) };
  }
  const record = recordOf(value);
  if (record['jsonrpc'] !== '2.0' || typeof record['method'] !== 'string') {
    if ('result' in record || 'error' in record) return { response: record };
    const words = 'the line is not a request of JSON-RPC 2.0';
    return { fault: faultIn(record, errorCodes.invalidRequest, words) };
  }
  if (!hasId(record)) {
    const words = 'the id of the request has a wrong type';
    return { fault: faultIn(record, errorCodes.invalidRequest, words), isRequest: true };
  }
  if (hasParams(record)) return { message: record };
  if (!('id' in record)) return { isRequest: true };
  const words = 'params, params._meta or its progressToken has a wrong type';
  return { fault: faultIn(record, errorCodes.invalidParams, words), isRequest: true };
}

function hasId(record: JsonRecord): record is JsonRecord & Omit<Message, 'params'> {
  const { id = 0, method } = record;
  return typeof method === 'string' && isId(id);
}

function hasParams(request: JsonRecord & Omit<Message, 'params'>): request is JsonRecord & Message {
  const { params = {} } = request;
  const { _meta: meta = {} } = recordOf(params);
  const { progressToken = 0 } = recordOf(meta);
  return isRecord(params) && isRecord(meta) && isId(progressToken);
}

/** Ids and tokens are texts or whole numbers. */
function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}

/** The answer to a message, or to a line that is none, with an error of the protocol; without an id that cannot be one. */
export function faultIn(holder: object, code: number, message: string, data?: object) {
  const { id } = recordOf(holder);
  const answer = { jsonrpc: '2.0', ...(isId(id) && { id }), error: { code, message, data } };
  return withDigits(answer, holder);
}
