/** Lines of MCP: messages of JSON-RPC 2.0, whose ids and tokens keep their digits. */
import { maxRequestBytes } from '../../files/named-file.js';
import { isRecord, parsedJson, recordOf, withDigits, type JsonRecord } from '../../lib/json.js';

export const errorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
};

/** The lines that an agent writes. What is longer than a request may be is not kept, so it is no message. */
export async function* linesOf(pieces: AsyncIterable<Buffer>, note: (words: string) => void) {
  const decoder = new TextDecoder();
  let line = '';
  for await (const piece of pieces) {
    const [end = '', ...more] = decoder.decode(piece, { stream: true }).split('\n');
    if (line.length <= maxRequestBytes) line += end;
    for (const next of more) {
      yield line;
      line = next;
    }
  }
  if (line.trim() !== '') note('the last line on stdin has no end and was not read');
}

/** A request, or without an id a notification. */
export interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: JsonRecord;
}

/** A message, or the answer to a line that is none, which may be a request all the same; none to a response. */
type ReadLine =
  | { readonly message: Message; readonly fault?: never; readonly isRequest?: never }
  | { readonly message?: never; readonly fault?: object; readonly isRequest: boolean };

export function readLine(line: string): ReadLine {
  const value = parsedJson(line);
  if (value === undefined)
    return { fault: faultIn({}, errorCodes.parse, 'the line is not JSON'), isRequest: false };
  const record = recordOf(value);
  const isVersion2 = record['jsonrpc'] === '2.0';
  if (isVersion2 && isMessage(record)) return { message: record };
  const isRequest = isVersion2 && typeof record['method'] === 'string';
  if (!isRequest && ('result' in record || 'error' in record)) return { isRequest };
  const words = isRequest
    ? 'its id or params have a wrong type'
    : 'the line is not a request of JSON-RPC 2.0';
  return { fault: faultIn(record, errorCodes.invalidRequest, words), isRequest };
}

function isMessage(record: JsonRecord): record is JsonRecord & Message {
  const { id = 0, method, params = {} } = record;
  const fields = ['jsonrpc', 'id', 'method', 'params'];
  if (Object.keys(record).some((name) => !fields.includes(name))) return false;
  if (typeof method !== 'string' || !isId(id)) return false;
  const { _meta: meta = {} } = recordOf(params);
  const { progressToken = 0 } = recordOf(meta);
  return isRecord(params) && isRecord(meta) && isId(progressToken);
}

/** Ids and tokens are texts or whole numbers. */
function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}

/** The answer to a message, or to a line that is none, with an error of the protocol. */
export function faultIn(holder: object, code: number, message: string, data?: object) {
  const { id } = recordOf(holder);
  const isKnown = typeof id === 'string' || typeof id === 'number';
  const answer = { jsonrpc: '2.0', id: isKnown ? id : null, error: { code, message, data } };
  return withDigits(answer, holder);
}
