import type * as z from 'zod/mini';
import type { Endpoint, EndpointInput } from '../contract/endpoint.js';
import { ApiError, OutcomeUnknown, type RequestIds } from '../errors.js';
import { send } from '../http/send.js';
import { AttemptFailed } from '../http/types.js';
import type { HttpRequest, HttpResponse, ResponseHead } from '../http/types.js';
import { leftMs, type Client } from './client.js';
import { failureError, outcomeHint } from './failure.js';
import { idsIn, prepare, prepareRaw, type RawRequest, type RequestOptions } from './prepare.js';
import { readJson, type JsonLimits, type JsonReply } from './json-reply.js';
import { leavesOpen, refusalError, refusalOf, refusalWithin, type Refused } from './refusal.js';
import { parsedJson, recordOf, withAllDigits } from '../lib/json.js';

export type CallOptions = Pick<RequestOptions, 'headers' | 'payload'>;

interface JsonRow extends Endpoint {
  readonly returns: z.ZodMiniType;
}

export interface Reply<Row extends JsonRow> {
  readonly data: z.output<Row['returns']>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly ids: RequestIds;
}

export async function call<Row extends JsonRow>(
  client: Client,
  row: Row,
  input: EndpointInput<Row>,
  options: CallOptions & JsonLimits = {},
): Promise<Reply<Row>> {
  // Without streaming, a chat is complete before its first byte arrives.
  const slow = row.slow ?? row.stream !== undefined;
  const request = prepare(client, row, input, { ...options, slow });
  const returns: Row['returns'] = row.returns;
  return sendFor(client, row, request, async (response, refused) => {
    const { status, headers } = response;
    const reply = await readJson(response, options);
    const value = reply.kind === 'value' ? reply.value : undefined;
    const fit = reply.kind === 'unreadable' ? undefined : returns.safeParse(value);
    const refusal = refusalWithin(response, value, refused, fit?.success === true);
    if (refusal) throw refusal;
    const { ids } = refused;
    if (fit?.success) return { data: withAllDigits(fit.data, value), status, headers, ids };
    throw invalidReply(row, status, reply, ids);
  });
}

/** Resolves at the head of a 2xx answer; its body must be read or discarded. @throws as `call`. */
export async function request<Row extends Endpoint>(
  client: Client,
  row: Row,
  input: EndpointInput<Row>,
  options: CallOptions = {},
): Promise<HttpResponse> {
  const accept = row.stream ? 'text/event-stream, application/json' : '*/*';
  const prepared = prepare(client, row, input, { ...options, accept });
  return sendFor(client, row, prepared, (response) => Promise.resolve(response));
}

/** @param read takes an answer of any status; `isUncertain`: an earlier one may have been accepted. */
export async function requestPath<Result extends ResponseHead>(
  client: Client,
  raw: RawRequest,
  row: RetriedRow,
  read: (response: HttpResponse, isUncertain: boolean) => Promise<Result>,
): Promise<Result> {
  return attempts(client, row, prepareRaw(client, raw), read);
}

/** Decides how a call may be repeated, and whether an answer leaves its outcome unknown. */
export type RetriedRow = Pick<Endpoint, 'id' | 'retry' | 'statuses' | 'paid'>;

/**
 * The row as this request may be repeated: only with a token, a header or clientIncidentId in a ticket
 * (section 2.15). @param body its JSON
 */
export function retriedAs<Row extends RetriedRow>(
  row: Row,
  hasKey: boolean,
  body: () => string | undefined,
): Row {
  if (row.retry !== 'idempotent' || hasKey) return row;
  const { clientIncidentId } = recordOf(parsedJson(body() ?? ''));
  return typeof clientIncidentId === 'string' ? row : { ...row, retry: 'never' };
}

export function unlistedRow(method: string): RetriedRow {
  const retry = /^(GET|HEAD|DELETE)$/i.test(method) ? 'safe' : 'never';
  const paid = /^POST$/i.test(method) ? ('request' as const) : undefined;
  return { id: 'api', retry, statuses: [200], paid };
}

async function sendFor<Result extends ResponseHead>(
  client: Client,
  row: Endpoint,
  prepared: HttpRequest,
  read: (response: HttpResponse, refused: Refused) => Promise<Result>,
): Promise<Result> {
  const take = async (response: HttpResponse, isUncertain: boolean) => {
    const { status } = response;
    const { brand, clock } = client;
    const refused = { row, ids: idsIn(response, brand), brand, nowMs: clock.now(), isUncertain };
    if (status >= 200 && status < 300) return read(response, refused);
    throw refusalError(await refusalOf(response, refused), row);
  };
  const cached = await client.cache?.about(row, prepared);
  // Nothing is reserved or sent for it.
  if (cached?.found) return take(cached.found, false);
  return attempts(client, row, prepared, (response, isUncertain) =>
    take(cached?.kept(response) ?? response, isUncertain),
  );
}

async function attempts<Result extends ResponseHead>(
  client: Client,
  row: RetriedRow,
  prepared: HttpRequest,
  read: (response: HttpResponse, isUncertain: boolean) => Promise<Result>,
): Promise<Result> {
  const { retry, paid } = row;
  const reservation = paid && (await client.spending?.reserve(paid, prepared, retry));
  // An answer from a tape: nothing was sent.
  const last = { isReplayed: false };
  try {
    const answer = await send({
      ...client,
      request: prepared,
      retry,
      deadlineMs: leftMs(client),
      leavesOpen:
        retry === 'safe' ? undefined : (response) => leavesOpen(response, row, client.brand),
      read: (response, isUncertain) => {
        last.isReplayed = response.isReplayed === true;
        return read(response, isUncertain);
      },
    });
    if (last.isReplayed) reservation?.failed(true, undefined);
    else reservation?.answered(answer);
    return answer;
  } catch (error) {
    const isRefused = error instanceof ApiError && !error.outcomeUnknown && !error.earlierUnknown;
    const isUnsent = error instanceof AttemptFailed && !error.sent;
    reservation?.failed(isRefused || isUnsent || last.isReplayed, error);
    throw failureError(error, row);
  }
}

/** A 2xx without a valid reply. The call may have been carried out anyway. */
function invalidReply(row: Endpoint, status: number, reply: JsonReply, ids: RequestIds): Error {
  const what = reply.kind === 'value' ? 'JSON of an unexpected shape' : 'nothing';
  const body = reply.kind === 'unreadable' ? reply.what : `${what} instead of the expected reply`;
  const message = `the service answered ${status} with ${body}`;
  const outcomeUnknown = row.retry !== 'safe';
  const code = 'invalid_reply';
  if (outcomeUnknown && reply.kind === 'unreadable' && reply.breaksOff) {
    return new OutcomeUnknown(message, { code, hint: outcomeHint(row) });
  }
  const hint = outcomeUnknown ? outcomeHint(row) : 'check the base URL: `svc config get base_url`';
  return new ApiError(message, { status, code, hint, requestIds: ids, outcomeUnknown });
}
