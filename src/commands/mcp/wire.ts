/** Lines of MCP. The SDK refuses numbers above 2^53, so it gets ids and tokens as texts of JSON. */
import { ErrorCode, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { fieldText, isRecord, parsedJson, recordOf, withDigits } from '../../lib/json.js';
import type { JsonRecord } from '../../lib/json.js';

/** A message for the SDK, or the answer to a line that is none. */
export function readLine(line: string) {
  const value = parsedJson(line);
  if (value === undefined) return faultIn({}, ErrorCode.ParseError, 'the line is not JSON');
  const exact = recordOf(value);
  // The schemas of the SDK refuse what keeps the digits of other numbers.
  const plain = recordOf(JSON.parse(line));
  const params = recordOf(exact['params']);
  const message = JSONRPCMessageSchema.safeParse({
    ...plain,
    ...asText(exact, 'id'),
    ...(isRecord(plain['params']) && { params: withTexts(plain['params'], params) }),
  }).data;
  if (message) return { message };
  const isRequest = exact['jsonrpc'] === '2.0' && typeof exact['method'] === 'string';
  const words = isRequest
    ? 'its id or params have a wrong type'
    : 'the line is not a request of JSON-RPC 2.0';
  return { ...faultIn(exact, ErrorCode.InvalidRequest, words), isRequest };
}

function withTexts(plain: JsonRecord, exact: JsonRecord): JsonRecord {
  const meta = plain['_meta'];
  const token = asText(recordOf(exact['_meta']), 'progressToken');
  return {
    ...plain,
    ...asText(exact, 'requestId'),
    ...(isRecord(meta) && { _meta: { ...meta, ...token } }),
  };
}

function asText(holder: JsonRecord, name: string): JsonRecord {
  const value = holder[name];
  if (typeof value === 'string') return { [name]: JSON.stringify(value) };
  return Number.isInteger(value) ? { [name]: fieldText(holder, name) } : {};
}

/** The field of a message to the client: the id or token that `readLine` made a text. */
export function sentField(name: string, text: unknown): JsonRecord {
  return typeof text === 'string' ? recordOf(parsedJson(`{"${name}":${text}}`)) : {};
}

function faultIn(holder: JsonRecord, code: ErrorCode, message: string) {
  const { id } = holder;
  const isKnown = typeof id === 'string' || typeof id === 'number';
  const answer = { jsonrpc: '2.0', id: isKnown ? id : null, error: { code, message } };
  return { fault: withDigits(answer, holder), isRequest: false };
}
