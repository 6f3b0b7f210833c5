/** One attempt of one request. */
import { assertAnswer } from '../api/answered.js';
import type { Client } from '../api/client.js';
import { failureError, outcomeHint } from '../api/failure.js';
import { idsIn, prepare } from '../api/prepare.js';
import { refusalOf, refusalWithin } from '../api/refusal.js';
import type { Endpoint } from '../contract/endpoint.js';
import { OutcomeUnknown, SvcError } from '../errors.js';
import { AttemptFailed } from '../http/types.js';
import type { HttpRequest, HttpResponse, Transport } from '../http/types.js';
import { parsedJson, recordOf } from '../lib/json.js';
import type { BatchMoney } from './money.js';
import { tokensOf, type BatchAnswer, type BatchRequest } from './request.js';

/** @throws SvcError of the class that says whether it may be sent again */
export type Send = (request: BatchRequest) => Promise<BatchAnswer>;

/** An earlier answer to the same request (--cache); undefined where it has to be sent. */
export type TakeCached = (request: BatchRequest) => Promise<BatchAnswer | undefined>;

type LineMoney = Pick<BatchMoney, 'asSent' | 'costOf'>;

/** How a line gets its answer. */
export interface LineSender {
  readonly send: Send;
  readonly cached: TakeCached;
}

/** @param money gives a line as it is sent, and the price of an answer where it is known */
export function createSend(client: Client, transport: Transport, money: LineMoney): LineSender {
  /** All but the body, which was checked when the input was read. */
  const prepared = new Map<Endpoint, HttpRequest>();
  const requestFor = ({ row, body }: BatchRequest): HttpRequest => {
    let request = prepared.get(row);
    if (!request) {
      const payload = { contentType: 'application/json', body: '' };
      const slow = row.slow ?? row.stream !== undefined;
      request = prepare(client, { ...row, body: undefined }, {}, { payload, slow });
      prepared.set(row, request);
    }
    return { ...request, body };
  };
  const read = readWith(client, money);
  return {
    send: async (request) => {
      const { row } = request;
      try {
        const prepared = requestFor(request);
        const response = await transport(prepared);
        const cacheable = await client.cache?.about(row, prepared);
        return await read(request, cacheable?.kept(response) ?? response);
      } catch (error) {
        throw error instanceof AttemptFailed ? failureError(error, row) : error;
      }
    },
    cached: async (request) => {
      const { row } = request;
      // A file is made of its answer.
      if (row.returns === 'bytes') return undefined;
      const prepared = requestFor(money.asSent(request));
      const found = (await client.cache?.about(row, prepared))?.found;
      return found && read(request, found);
    },
  };
}

function readWith({ brand, clock }: Client, money: LineMoney) {
  return async (request: BatchRequest, response: HttpResponse): Promise<BatchAnswer> => {
    const { row } = request;
    const { status } = response;
    const { cached, ...ids } = idsIn(response, brand);
    const refused = { row, ids, brand, nowMs: clock.now() };
    if (status < 200 || status >= 300) throw await refusalOf(response, refused);
    const text = await textOf(response);
    const value = parsedJson(text);
    const refusal = refusalWithin(response, value, refused, !('error' in recordOf(value)));
    if (refusal) throw refusal;
    if (value === undefined) {
      throw new OutcomeUnknown(`the service answered ${status} without JSON`, {
        code: 'invalid_reply',
        hint: outcomeHint(row),
      });
    }
    return {
      status,
      requestId: ids.requestId,
      generationId: ids.generationId,
      cached,
      // Texts in JSON have no line breaks.
      body: text.replaceAll(/[\r\n]+[ \t]*/g, ''),
      fault: faultOf(request, value),
      costRub: cached ? 0 : money.costOf(request, value),
      tokens: tokensOf(value).total,
    };
  };
}

function faultOf({ row, body }: BatchRequest, reply: unknown): SvcError | undefined {
  try {
    assertAnswer(row, body, reply);
    return undefined;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

/** More than an answer has; a longer one is not read. */
const maxAnswerBytes = 64 * 1024 * 1024;

async function textOf(response: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  await response.pipe((piece) => {
    bytes += piece.length;
    if (bytes > maxAnswerBytes)
      throw new AttemptFailed('truncated', true, 'the answer is too long');
    pieces.push(piece);
  });
  const [only] = pieces;
  return (only?.length === bytes ? only : Buffer.concat(pieces, bytes)).toString('utf8');
}
