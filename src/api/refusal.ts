/** Turns an answer outside 2xx into an error that says what happened and what to do next. */
import type { Brand } from '../contract/brand.js';
import { statusMeanings, type Endpoint } from '../contract/endpoint.js';
import { ApiError, isRefusal, OutcomeUnknown, type RequestIds } from '../errors.js';
import { maxWaitMs, retryAfterMs } from '../http/retry.js';
import type { HttpResponse, ResponseHead, Sink } from '../http/types.js';
import { usualRetryWaitMs } from '../lib/duration.js';
import { isRecord, parsedJson, textOf, toJson, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { redact, redactJson } from '../lib/redact.js';
import { checkGateway, hintFor, isOfGateway, outcomeHint, mayBeDone } from './failure.js';
import { maxDepth, weigh } from '../lib/json-weight.js';
import { readBody, describeContent, type ReplyBody } from './json-reply.js';
import { idsIn } from './prepare.js';

export interface Refused {
  readonly row: Pick<Endpoint, 'id' | 'auth' | 'retry' | 'statuses' | 'statusNotes'>;
  readonly ids: RequestIds;
  readonly brand: Brand;
  readonly nowMs: number;
  readonly isUncertain?: boolean;
}

const maxBytes = 256 * 1024;

export async function refusalOf(response: HttpResponse, refused: Refused): Promise<ApiError> {
  const body = await readBody(response, maxBytes).catch(() => undefined);
  return describeRefusal(response, body, refused);
}

/** The refusal in a 2xx answer: `ok: false` with a message, or any form that does not fit the row. */
export function refusalWithin(
  head: ResponseHead,
  value: unknown,
  refused: Refused,
  fits: boolean,
): ApiError | undefined {
  if (!isRecord(value)) return undefined;
  const isDeclined = value['ok'] === false;
  const isRefusal = isDeclined
    ? readErrorRecord(value, head.status).message !== ''
    : isOwnForm(value);
  if (!isRefusal || (fits && (!isDeclined || 'status' in value || 'jobId' in value)))
    return undefined;
  return describeRefusal(head, { bytes: Buffer.from(toJson(value)) }, refused);
}

/** Reads an answer. @returns it, to be read again, if the call may have been carried out anyway */
export async function leavesOpen(
  response: HttpResponse,
  row: Pick<Endpoint, 'retry' | 'statuses'>,
  brand: Brand,
): Promise<HttpResponse | undefined> {
  const body = await readBody(response, maxBytes).catch(() => undefined);
  const { isOwn } = readErrorBody(body, response, row);
  const pipe = async (sink: Sink) => {
    if (body) await sink(body.bytes);
  };
  // What has a usage record may have been charged, also with 429.
  const hasRecord = idsIn(response, brand).generationId !== undefined;
  const isOpen = hasRecord || mayHaveBeenDone(row, response.status, isOwn);
  return isOpen ? { ...response, pipe } : undefined;
}

export function describeRefusal(
  { status, headers }: ResponseHead,
  body: Pick<ReplyBody, 'bytes'> | undefined,
  { row, ids, brand, nowMs, isUncertain = false }: Refused,
): ApiError {
  const { message, what, code, fields, isOwn } = readErrorBody(body, { status, headers }, row);
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  const outcomeUnknown = mayHaveBeenDone(row, status, isOwn);
  const details = {
    status,
    code: isOwn ? ('refused' as const) : ('not_the_service' as const),
    serviceCode: code,
    fields,
    isForeign: !isOwn,
    // The ids that a support ticket may name.
    requestIds: Object.fromEntries(Object.entries(ids).filter(([name]) => name.endsWith('Id'))),
    retryAfterMs: waitMs,
    outcomeUnknown,
    earlierUnknown: isUncertain && row.retry !== 'safe',
  };
  const isGuess = !isOwn && (outcomeUnknown || (what !== '' && status < 500));
  // A status has the service's own meaning only in the service's own form.
  const meaning = isGuess ? undefined : (row.statusNotes?.[status] ?? statusMeanings[status]);
  const answered = `the service answered ${status}`;
  let text = message || answered + (what && ` with ${what}`);
  if (message === '' && meaning) text += `: ${brand.path(meaning)}`;
  if (status >= 300 && status < 400) {
    text = `${answered}: it redirects to ${hostOf(headers['location'])}, and svc does not follow`;
  }
  const isOpen = outcomeUnknown && !isOwn;
  const more = [...(isOpen ? [mayBeDone(row)] : []), ...waitWords(waitMs, nowMs)];
  const hints = [hintFor(row, details, message), isOfGateway(details) && checkGateway];
  const hint = hints.filter(Boolean).join('; ') || undefined;
  return new ApiError([text, ...more].join('; '), { ...details, hint });
}

/** The error to throw: a busy or failing service says nothing about an earlier attempt. */
export function refusalError(refusal: ApiError, row: Pick<Endpoint, 'id'>): Error {
  const { status, message, earlierUnknown, outcomeUnknown } = refusal;
  const isOfTheRequest = status < 500 && status !== 429 && status !== 408;
  if (!earlierUnknown || outcomeUnknown || isOfTheRequest) return refusal;
  const hint = outcomeHint(row);
  const words = `${message}; an earlier attempt may have been carried out`;
  return new OutcomeUnknown(words, { hint, cause: refusal });
}

/** Whether the service refused the request for one of its fields: then nothing was done. */
export function refusesField(error: unknown, field: RegExp): boolean {
  if (!isRefusal(error, 400, 422)) return false;
  const { earlierUnknown, message, fields } = error;
  return !earlierUnknown && field.test(`${message} ${JSON.stringify(fields)}`);
}

interface ErrorBody {
  readonly message: string;
  readonly code?: string;
  readonly fields: JsonRecord;
  /** Describes a body without a message: continues "answered 502 with …". */
  readonly what: string;
  readonly isOwn: boolean;
}

/** Keys echoed in a body are removed here, before anything is cut. */
function readErrorBody(
  body: Pick<ReplyBody, 'bytes'> | undefined,
  { status, headers }: ResponseHead,
  { statuses }: Pick<Endpoint, 'statuses'>,
): ErrorBody {
  const text = body?.bytes.toString('utf8') ?? '';
  // Only the service knows that a result was kept too long, and a file has no form for errors.
  const isPastRetention = status === 410 && statuses.includes(status);
  const nothing = { message: '', fields: {}, what: '', isOwn: isPastRetention };
  // The key is checked before anything is done, and section 7 shows no form for that.
  if (text.trim() === '')
    return { ...nothing, isOwn: isPastRetention || [401, 403].includes(status) };
  // Deeper than any reply: serialising it again would fail.
  const isDeep = weigh(Buffer.from(text)).depth > maxDepth;
  const value = isDeep ? undefined : redactJson(parsedJson(text.replace(/^\ufeff/, '')));
  if (isRecord(value)) return readErrorRecord(value, status);
  if (value !== undefined) return { ...nothing, message: plainText(textOf(value) ?? '') };
  const what = describeContent(text, headers['content-type'] ?? '');
  const shown = redact(text);
  if (what !== 'an HTML page') {
    return { ...nothing, message: what === 'text that is not JSON' ? plainText(shown) : '', what };
  }
  // Its title often names what failed: `502 Bad Gateway`.
  const title = plainText(/<title[^<>]*>([^<]{1,300})/i.exec(shown)?.[1] ?? '', 100);
  return { ...nothing, isOwn: false, what: title === '' ? what : `${what} (${title})` };
}

/** Sections 2.11 (`message`, `code`) and 2.15 (`error` is text), and what the public SDKs read. */
function readErrorRecord(record: JsonRecord, status: number): ErrorBody {
  const inner = isRecord(record['error']) ? record['error'] : {};
  const message = [inner['message'], record['error'], record['message'], record['detail']]
    .map((text) => textOf(text) ?? '')
    .find((text) => text.trim() !== '');
  const code = [inner['code'], record['code'], inner['type']]
    .map((word) => plainText(typeof word === 'number' ? `${word}` : (textOf(word) ?? ''), 80))
    .find(Boolean);
  const isOwn = isOwnForm(record) || mayBeOwn(record, status, inner);
  return { message: plainText(message ?? ''), code, fields: record, what: '', isOwn };
}

/** Whether it has everything that marks one of these forms: a gateway may also answer with JSON. */
function isOwnForm({ ok, message, code, error }: JsonRecord): boolean {
  const isText = (value: unknown) => (textOf(value) ?? '') !== '';
  if (isRecord(error)) {
    return isText(error['message']) && (isText(error['type']) || isText(error['code']));
  }
  return isText(code) && (isText(error) || (ok === false && isText(message)));
}

/** Most forms of a refusal are not shown (section 7): any counts that a gateway would hardly send. */
function mayBeOwn(record: JsonRecord, status: number, inner: JsonRecord): boolean {
  // Only the service knows the balance, and says within a success that it is none.
  if (status === 402 || (status < 300 && record['ok'] === false)) return true;
  if (status < 400 || status === 408 || (status >= 500 && status !== 501)) return false;
  // Gateways answer with a message alone, or repeat the status as a number.
  const numbers = [record['status'], record['statusCode'], record['code'], inner['code']];
  const isMore = Object.keys(record).some((name) => !/^(?:message|request_?id)$/i.test(name));
  return isMore && numbers.every((number) => typeof number !== 'number');
}

function waitWords(waitMs: number | undefined, nowMs: number): string[] {
  if (waitMs === undefined || waitMs <= usualRetryWaitMs) return [];
  if (waitMs === Infinity) return ['its Retry-After is not valid'];
  if (waitMs >= maxWaitMs) return ['it asked for a wait of more than a day'];
  const at = new Date(nowMs + waitMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return [`try again in ${Math.ceil(waitMs / 1000)} s, at ${at}`];
}

function hostOf(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  // A relative target stays on the host, whatever its path.
  return URL.canParse(location) ? plainText(new URL(location).host, 100) : 'another path';
}

/** A gateway proves nothing, a 504 is only a time limit, and an unlisted 500 is not a refusal. */
function mayHaveBeenDone(
  { retry, statuses }: Pick<Endpoint, 'retry' | 'statuses'>,
  status: number,
  isOwn: boolean,
): boolean {
  if (retry === 'safe') return false;
  return !isOwn || status === 504 || (status === 500 && !statuses.includes(status));
}
