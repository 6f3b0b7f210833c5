/** Turns an answer outside 2xx into an error that says what happened and what to do next. */
import type { Brand } from '../contract/brand.js';
import { statusMeanings, type Endpoint } from '../contract/endpoint.js';
import { ApiError, OutcomeUnknown, type RequestIds } from '../errors.js';
import { longestWaitMs, retryAfterMs } from '../http/retry.js';
import type { HttpResponse } from '../http/types.js';
import { usualRetryWaitMs } from '../lib/duration.js';
import { isRecord, textOf, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { redact, redactJson } from '../lib/redact.js';
import { hintFor, howToFindOut, mayBeDone } from './failure.js';
import { weigh } from '../lib/json-weight.js';
import { maxDepth, readBody, whatItIs, type Body } from './json-reply.js';

/** What is known of the call that was refused. */
export interface Refused {
  readonly row: Pick<Endpoint, 'id' | 'auth' | 'retry' | 'statuses' | 'statusNotes'>;
  readonly ids: RequestIds;
  readonly brand: Brand;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** An earlier attempt may have been carried out. */
  readonly isUncertain?: boolean;
}

/** An explanation is read up to this size; no more is shown anyway. */
const maxBytes = 256 * 1024;

/** What a refusal says and means, whatever its body is. */
export async function refusalOf(response: HttpResponse, refused: Refused): Promise<ApiError> {
  const body = await readBody(response, maxBytes).catch(() => undefined);
  return describeRefusal(response, body, refused);
}

/**
 * The refusal that an answer within 2xx holds: `ok: false` with words, or where it does not fit
 * the row, any form of a refusal. Undefined for any other; what names a job is no refusal.
 */
export function refusalWithin(
  response: Pick<HttpResponse, 'status' | 'headers'>,
  value: unknown,
  refused: Refused,
  fits: boolean,
): ApiError | undefined {
  if (!isRecord(value)) return undefined;
  const isRefusal =
    value['ok'] === false ? readErrorRecord(value).message !== '' : isOwnForm(value);
  const isOther = fits && (value['ok'] !== false || 'status' in value || 'jobId' in value);
  if (!isRefusal || isOther) return undefined;
  const bytes = Buffer.from(JSON.stringify(value));
  return describeRefusal(response, { bytes, isCutShort: false }, refused);
}

/** Reads an answer, and says whether the call may have been carried out in spite of it. */
export async function leavesOpen(
  response: HttpResponse,
  row: Pick<Endpoint, 'retry' | 'statuses'>,
): Promise<boolean> {
  const body = await readBody(response, maxBytes).catch(() => undefined);
  return mayHaveBeenDone(row, response.status, readErrorBody(body, response.headers).isOwn);
}

/** @param body undefined when the connection dropped while it was read. */
export function describeRefusal(
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  body: Body | undefined,
  { row, ids, brand, nowMs, isUncertain = false }: Refused,
): ApiError {
  const error = readErrorBody(body, headers);
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const outcomeUnknown = mayHaveBeenDone(row, status, error.isOwn);
  const target = status >= 300 && status < 400 ? redirectHost(headers['location']) : undefined;
  const { code, fields, message, isOwn } = error;
  const hint = hintFor({ row, status, code, waitMs, outcomeUnknown, message, fields });
  const isGuess = outcomeUnknown && !isOwn;
  // What a status means in the words of the service says nothing of a page that is not its own.
  const meaning = isGuess ? '' : (row.statusNotes?.[status] ?? statusMeanings[status] ?? '');
  const more = [...(isGuess ? [mayBeDone(row)] : []), ...waitWords(waitMs, nowMs)];
  return new ApiError([messageOf(status, error, brand.path(meaning), target), ...more].join('; '), {
    status,
    code,
    hint,
    fields,
    // Of the ids, those that a support ticket may name.
    requestIds: Object.fromEntries(Object.entries(ids).filter(([name]) => name.endsWith('-id'))),
    retryAfterMs: waitMs,
    outcomeUnknown,
    earlierUnknown: isUncertain && row.retry !== 'safe',
  });
}

/**
 * What to throw for a refusal. One of the request itself would have met an earlier attempt too; a
 * failing or busy service says nothing about that one.
 */
export function refusalError(refusal: ApiError, row: Pick<Endpoint, 'id'>): Error {
  const { status, message, code, earlierUnknown, outcomeUnknown } = refusal;
  const isOfTheRequest = status < 500 && status !== 429 && status !== 408;
  if (!earlierUnknown || outcomeUnknown || isOfTheRequest) return refusal;
  return new OutcomeUnknown(`${message}; an earlier attempt may have been carried out`, {
    code,
    hint: howToFindOut(row),
    cause: refusal,
  });
}

/** Whether the service refused the request for one of its fields: then nothing was done. */
export function refusesField(error: unknown, field: string): boolean {
  if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 422)) return false;
  return new RegExp(`\\b${field}\\b`).test(JSON.stringify([error.message, error.fields]));
}

/** What a body says, in any of the shapes that services of this kind use. */
interface ErrorBody {
  readonly message: string;
  readonly code: string | undefined;
  readonly fields: JsonRecord;
  /** What the body is when it says nothing: continues "answered 502 with …". */
  readonly what: string | undefined;
  /** In the form of the service itself, and not of a gateway in between. */
  readonly isOwn: boolean;
}

/** Secrets that are echoed go here, before anything is cut. */
function readErrorBody(body: Body | undefined, headers: HttpResponse['headers']): ErrorBody {
  const text = body?.bytes.toString('utf8') ?? '';
  const nothing = { message: '', code: undefined, fields: {}, what: undefined, isOwn: false };
  if (text.trim() === '') return nothing;
  const value = parsed(text);
  if (isRecord(value)) return readErrorRecord(value);
  if (value !== undefined) return { ...nothing, message: plainText(textOf(value) ?? '') };
  const what = whatItIs(text, headers['content-type'] ?? '');
  const shown = redact(text);
  if (what === 'an HTML page') {
    // Its title often names what failed: `502 Bad Gateway`.
    const title = plainText(/<title[^<>]*>([^<]{1,300})/i.exec(shown)?.[1] ?? '', 100);
    return { ...nothing, what: title === '' ? what : `${what} (${title})` };
  }
  return { ...nothing, message: what === 'text that is no JSON' ? plainText(shown) : '', what };
}

/**
 * Sections 2.11 (`message`, `code`) and 2.15 (`error` is text); and what the SDKs of the public
 * formats read: `error.message`, `error.code`, `error.type`.
 */
function readErrorRecord(record: JsonRecord): ErrorBody {
  const inner = isRecord(record['error']) ? record['error'] : {};
  const message = [inner['message'], record['error'], record['message'], record['detail']]
    .map(textOf)
    .find((text) => text !== undefined && text.trim() !== '');
  const code = [inner['code'], record['code'], inner['type']]
    .map((value) =>
      plainText(typeof value === 'number' ? String(value) : (textOf(value) ?? ''), 80),
    )
    .find(Boolean);
  const isOwn = isOwnForm(record);
  return { message: plainText(message ?? ''), code, fields: record, what: undefined, isOwn };
}

/** Whether all that marks one of these forms is there: a gateway may answer with JSON as well. */
export function isOwnForm({ ok, message, code, error }: JsonRecord): boolean {
  const isText = (value: unknown) => (textOf(value) ?? '') !== '';
  if (isRecord(error)) {
    return isText(error['message']) && (isText(error['type']) || isText(error['code']));
  }
  return isText(code) && (isText(error) || (ok === false && isText(message)));
}

function parsed(text: string): unknown {
  // Deeper than any reply: writing it out again would fail.
  if (weigh(Buffer.from(text)).depth > maxDepth) return undefined;
  try {
    return redactJson(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return undefined;
  }
}

function messageOf(
  status: number,
  { message, what }: ErrorBody,
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

/** When to come back, or why a wait that was asked for is not waited for whatever time there is. */
function waitWords(waitMs: number | undefined, nowMs: number): string[] {
  if (waitMs === undefined || waitMs <= usualRetryWaitMs) return [];
  if (waitMs === Infinity) return ['it sent a Retry-After that cannot be read'];
  if (waitMs >= longestWaitMs) return ['it asked to wait for longer than a day'];
  const at = new Date(nowMs + waitMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return [`come back in ${Math.ceil(waitMs / 1000)} s, at ${at}`];
}

function redirectHost(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  // A relative target stays on the host, whatever its path.
  if (!URL.canParse(location)) return 'another path';
  return plainText(new URL(location).host, 100);
}

/**
 * Whether the call may have been carried out, and charged, in spite of a failing answer. It was
 * not where the service itself refuses it, with a status that section 4 lists or another; but a 504
 * is only the end of its patience, and an unlisted 500 a failure, no refusal. A page of a gateway
 * says nothing of what happened behind it.
 */
function mayHaveBeenDone(
  { retry, statuses }: Pick<Endpoint, 'retry' | 'statuses'>,
  status: number,
  isOwn: boolean,
): boolean {
  if (retry === 'safe' || status === 501 || (status < 500 && status !== 408)) return false;
  if (!isOwn || status === 504) return true;
  return status === 500 && !statuses.includes(status);
}
