/** One request of a program: forwarded under the ceiling, its answer passed on as it comes. */
import { requestPath, type RetriedRow } from '../api/call.js';
import type { Client } from '../api/client.js';
import { chargeIn } from '../api/media/submit.js';
import { idsIn, type RawRequest } from '../api/prepare.js';
import { describeRefusal, refusalError } from '../api/refusal.js';
import { readBody } from '../api/json-reply.js';
import type { Endpoint } from '../contract/endpoint.js';
import { ApiError } from '../errors.js';
import { PulledBody } from '../http/pulled.js';
import { piecesOf, type HttpResponse, type ResponseHead, type Sink } from '../http/types.js';
import type { Reply } from '../service/call.js';
import type { HiddenKey } from './hidden-key.js';
import type { ProxiedRequest } from './proxied.js';
import { SeenAnswer } from './seen.js';

interface Forwarded {
  readonly request: ProxiedRequest;
  readonly row: Endpoint;
  readonly retried: RetriedRow;
  readonly raw: RawRequest;
  /** Whose signal aborts when the program hangs up. */
  readonly client: Client;
  /** Hides the account's key, which no answer may show. */
  readonly hidden: HiddenKey | undefined;
}

/** The explanation of a refusal. */
const maxRefusalBytes = 256 * 1024;
/** Of one connection (RFC 9110, section 7.6.1), or for browsers. */
const droppedHeaders =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie)$/;

/**
 * Calls `pass` at the head of an answer. Resolves when all of it has been passed on, or given up.
 * @throws what may be said to the program where nothing was passed
 */
export async function forward(forwarded: Forwarded, pass: (reply: Reply) => void): Promise<void> {
  const { client, raw, request, retried } = forwarded;
  try {
    await requestPath(client, raw, retried, async (response, isUncertain) => {
      request.generationId = idsIn(response, client.brand).generationId;
      const isDone = response.status < 300 || retried.retry === 'safe';
      return isDone
        ? passAnswer(forwarded, response, pass)
        : passRefusal(forwarded, response, isUncertain, pass);
    });
  } catch (error) {
    if (error instanceof ApiError) {
      request.generationId ??= error.requestIds.generationId;
      const isFree = !error.outcomeUnknown && !error.earlierUnknown;
      if (isFree && request.generationId === undefined) request.priceRub = 0;
    }
    if (request.status === 0) throw error;
  }
}

/** An answer that breaks off has been charged, so it is one all the same. */
async function passAnswer(
  { row, raw, request, hidden }: Forwarded,
  response: HttpResponse,
  pass: (reply: Reply) => void,
): Promise<ResponseHead & { readonly data?: unknown }> {
  const { status, headers } = response;
  const seen = new SeenAnswer(row, response);
  request.status = status;
  const isWhole = await new Promise<boolean>((end) => {
    const body = new PulledBody(passing(response, hidden, seen, end));
    const isHead = raw.method === 'HEAD';
    if (isHead) {
      end(true);
      response.discard();
    }
    pass({ status, headers: passedHeaders(headers, hidden), body: isHead ? null : body });
  });
  await seen.end(isWhole);
  request.isWhole = isWhole && !seen.isCut;
  request.usage = seen.usage;
  request.answer = seen.answer;
  request.priceRub = response.isReplayed ? 0 : chargeIn(seen.reply);
  return { status, headers, data: seen.reply };
}

/**
 * The body byte for byte, with the account's key hidden; each piece is seen after it was passed on.
 * @param end told once whether all of it has been passed on, or given up
 */
function passing(
  response: HttpResponse,
  hidden: HiddenKey | undefined,
  seen: SeenAnswer,
  end: (isWhole: boolean) => void,
): Pick<HttpResponse, 'pipe' | 'discard'> {
  const passOn = async (sink: Sink) => {
    await response.pipe(async (piece) => {
      const clean = hidden?.piece(piece) ?? piece;
      if (clean.length === 0) return;
      await sink(clean);
      // Without the key, too: the log keeps it.
      seen.add(clean);
    });
    const rest = hidden?.rest();
    if (!rest || rest.length === 0) return;
    await sink(rest);
    seen.add(rest);
  };
  return {
    pipe: async (sink) => {
      let isWhole = false;
      try {
        await passOn(sink);
        isWhole = true;
      } finally {
        end(isWhole);
      }
    },
    discard: () => {
      response.discard();
      end(false);
    },
  };
}

/** @throws ApiError always; where the outcome is open, nothing is passed */
async function passRefusal(
  { row, request, client, hidden }: Forwarded,
  response: HttpResponse,
  isUncertain: boolean,
  pass: (reply: Reply) => void,
): Promise<never> {
  const { status, headers } = response;
  const { brand, clock } = client;
  const body = await readBody(response, maxRefusalBytes).catch(() => undefined);
  const refused = { row, ids: idsIn(response, brand), brand, nowMs: clock.now(), isUncertain };
  const refusal = describeRefusal(response, body, refused);
  if (!refusal.outcomeUnknown && !refusal.earlierUnknown) {
    request.status = status;
    request.isWhole = body?.isCutShort === false;
    const bytes = body?.bytes ?? Buffer.alloc(0);
    const clean = hidden?.whole(bytes) ?? bytes;
    const length = { 'content-length': String(clean.length) };
    pass({
      status,
      headers: { ...passedHeaders(headers, hidden), ...length },
      body: piecesOf(clean),
    });
  }
  throw refusalError(refusal, row);
}

function passedHeaders(
  headers: ResponseHead['headers'],
  hidden: HiddenKey | undefined,
): Readonly<Record<string, string>> {
  const named = headers['connection']?.toLowerCase().split(/\s*,\s*/) ?? [];
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !droppedHeaders.test(name) && !named.includes(name))
      .map(([name, value]) => [name, hidden?.text(value) ?? value]),
  );
}
