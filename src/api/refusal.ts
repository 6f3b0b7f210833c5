/** Turns an answer outside 2xx into an error that says what happened and what to do next. */
import type { Brand } from '../contract/brand.js';
import { statusMeanings } from '../contract/statuses.js';
import type { Endpoint } from '../contract/endpoint.js';
import { ApiError, type RequestIds } from '../errors.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { HttpResponse } from '../http/types.js';
import { isRecord, textOf, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { hintFor } from './hints.js';
import { readBody, whatItIs, type Body } from './json-reply.js';

/** What is known of the call that was refused. */
export interface Refused {
  readonly row: Pick<Endpoint, 'id' | 'auth' | 'retry' | 'statuses' | 'statusNotes'>;
  readonly ids: RequestIds;
  readonly brand: Brand;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** An explanation is read up to this size; no more is shown anyway. */
const maxBytes = 256 * 1024;

/** Reads the body of a refusal and says what it means. Never rejects for what the body is. */
export async function refusalOf(response: HttpResponse, refused: Refused): Promise<ApiError> {
  const body = await readBody(response, maxBytes).catch(() => undefined);
  return describeRefusal(response, body, refused);
}

/** @param body undefined when the line dropped while it was read. */
export function describeRefusal(
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  body: Body | undefined,
  { row, ids, brand, nowMs }: Refused,
): ApiError {
  const told = toldBy(body?.bytes.toString('utf8') ?? '', headers['content-type'] ?? '');
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const outcomeUnknown = mayHaveBeenDone(row, status);
  const target = status >= 300 && status < 400 ? redirectHost(headers['location']) : undefined;
  const about = { row, status, code: told.code, waitMs, outcomeUnknown, message: told.message };
  return new ApiError(messageOf(status, told, brand.path(meaningOf(row, status)), target), {
    status,
    code: told.code,
    hint: hintFor({ ...about, fields: told.fields }),
    fields: told.fields,
    requestIds: supportIds(ids),
    retryAfterMs: waitMs,
    outcomeUnknown,
  });
}

/** What a body tells, in any of the shapes that services of this kind use. */
interface Told {
  readonly message: string;
  readonly code: string | undefined;
  readonly fields: JsonRecord;
  /** What the body is when it tells nothing: continues "answered 502 with …". */
  readonly what: string | undefined;
}

function toldBy(text: string, contentType: string): Told {
  const nothing = { message: '', code: undefined, fields: {} };
  if (text.trim() === '') return { ...nothing, what: undefined };
  const value = parsed(text);
  if (isRecord(value)) return toldByRecord(value);
  if (value !== undefined)
    return { ...nothing, message: plainText(textOf(value) ?? ''), what: undefined };
  const what = whatItIs(text, contentType);
  if (what === 'an HTML page') return { ...nothing, what: `${what}${titleOf(text)}` };
  const isText = what === 'text that is no JSON';
  return { ...nothing, message: isText ? plainText(text) : '', what };
}

/**
 * Sections 2.11 (`message`, `code`) and 2.15 (`error` is text); and what the SDKs of the public
 * formats read: `error.message`, `error.code`, `error.type`.
 */
function toldByRecord(record: JsonRecord): Told {
  const inner = isRecord(record['error']) ? record['error'] : {};
  const message = [inner['message'], record['error'], record['message'], record['detail']]
    .map(textOf)
    .find((text) => text !== undefined && text.trim() !== '');
  const code = [inner['code'], record['code'], inner['type']].map(codeText).find(Boolean);
  return { message: plainText(message ?? ''), code, fields: record, what: undefined };
}

function codeText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value);
  return text === undefined ? undefined : plainText(text, 80);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** The title of an error page often names what failed: `: 502 Bad Gateway`. */
function titleOf(html: string): string {
  const title = plainText(/<title[^>]*>([^<]{1,300})/i.exec(html)?.[1] ?? '', 100);
  return title === '' ? '' : ` (${title})`;
}

function messageOf(
  status: number,
  { message, what }: Told,
  meaning: string,
  redirect: string | undefined,
): string {
  if (redirect !== undefined) {
    return `the service answered ${status}: it points to ${redirect}, and svc does not follow`;
  }
  if (message !== '') return message;
  const because = meaning === '' ? '' : `: ${meaning}`;
  return what === undefined
    ? `the service answered ${status}${because}`
    : `the service answered ${status} with ${what}${because}`;
}

function meaningOf({ statusNotes }: Refused['row'], status: number): string {
  return statusNotes?.[status] ?? statusMeanings[status] ?? '';
}

function redirectHost(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  // A relative target stays on the host, whatever its path.
  if (!URL.canParse(location)) return 'another path';
  return plainText(new URL(location).host, 100);
}

/**
 * Whether the call may have been carried out, and charged, in spite of a failing answer. For the
 * statuses that section 4 lists it was not; a 504 is only the end of the service's patience.
 */
function mayHaveBeenDone({ retry, statuses }: Refused['row'], status: number): boolean {
  if (retry === 'safe' || status < 500 || status === 501) return false;
  return status === 504 || !statuses.includes(status);
}

/** Of the ids, those that a support ticket may name. */
function supportIds(ids: RequestIds): RequestIds {
  return Object.fromEntries(Object.entries(ids).filter(([name]) => name.endsWith('-id')));
}
