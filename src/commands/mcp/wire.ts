/** Lines of MCP. The SDK refuses numbers above 2^53, so it gets ids and tokens as texts of JSON. */
import {
  ErrorCode,
  JSONRPCMessageSchema,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { maxRequestBytes } from '../../files/named-file.js';
import { fieldText, parsedJson, recordOf, withDigits, type JsonRecord } from '../../lib/json.js';

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

/** A message for the SDK, or the answer to a line that is none, which may be a request all the same. */
type ReadLine =
  | { readonly message: JSONRPCMessage; readonly fault?: never; readonly isRequest?: never }
  | { readonly message?: never; readonly fault: object; readonly isRequest?: boolean };

export function readLine(line: string): ReadLine {
  const value = parsedJson(line);
  if (value === undefined)
    return { fault: faultIn({}, ErrorCode.ParseError, 'the line is not JSON') };
  const exact = recordOf(value);
  // The schemas of the SDK refuse what keeps the digits of other numbers.
  const plain = recordOf(JSON.parse(line));
  setText(plain, exact, 'id');
  setText(paramsOf(plain), paramsOf(exact), 'requestId');
  setText(recordOf(paramsOf(plain)['_meta']), recordOf(paramsOf(exact)['_meta']), 'progressToken');
  const { data } = JSONRPCMessageSchema.safeParse(plain);
  if (data) return { message: data };
  const isRequest = exact['jsonrpc'] === '2.0' && typeof exact['method'] === 'string';
  const words = isRequest
    ? 'its id or params have a wrong type'
    : 'the line is not a request of JSON-RPC 2.0';
  return { fault: faultIn(exact, ErrorCode.InvalidRequest, words), isRequest };
}

const paramsOf = (message: JsonRecord) => recordOf(message['params']);

function setText(plain: JsonRecord, exact: JsonRecord, name: string): void {
  const value = exact[name];
  const isText = typeof value === 'string';
  if (!isText && !Number.isInteger(value)) return;
  Object.assign(plain, { [name]: isText ? JSON.stringify(value) : fieldText(exact, name) });
}

/** The field of a message to the client: the id or token that `readLine` made a text. */
export function sentField(name: string, text: unknown): JsonRecord {
  return typeof text === 'string' ? recordOf(parsedJson(`{"${name}":${text}}`)) : {};
}

function faultIn(holder: JsonRecord, code: ErrorCode, message: string) {
  const { id } = holder;
  const isKnown = typeof id === 'string' || typeof id === 'number';
  const answer = { jsonrpc: '2.0', id: isKnown ? id : null, error: { code, message } };
  return withDigits(answer, holder);
}
