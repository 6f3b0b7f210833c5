/** Forwards the requests of other programs to the service, under one ceiling. */
import type { Client, Spending } from '../api/client.js';
import { retriedAs } from '../api/call.js';
import type { Endpoint } from '../contract/endpoint.js';
import { endpoints } from '../contract/index.js';
import { messagesMaxTokens, voice } from '../contract/limits.js';
import { makeRouter, type Router } from '../contract/route.js';
import { AttemptFailed, piecesOf, type Transport } from '../http/types.js';
import { recordOf, toJson } from '../lib/json.js';
import { keepHeapSmall, keepHeapTight } from '../lib/small-heap.js';
import { bodyPieces, type ServiceRequest } from '../service/body.js';
import { json, type Reply } from '../service/call.js';
import { localKey } from '../service/keys.js';
import { limited } from '../spending/asked.js';
import { BodyRoom, type HeldBody } from './body.js';
import { forward } from './exchange.js';
import { formsOfKey, HiddenKey } from './hidden-key.js';
import { OpenPrices } from './prices.js';
import type { ModelRule, ProxiedRequest, ProxyWatcher } from './proxied.js';
import { isOfUnsent, refusalFor, refusalReply, refused, type Refusal } from './refusal.js';
import {
  formPayload,
  hasNamesTwice,
  inTurn,
  jsonIn,
  mapped,
  modelIn,
  nameIn,
  rawRequest,
} from './request.js';
import { Totals } from './totals.js';

export interface ProxyOptions {
  /**
   * Its `spending` is set only where a ceiling or a budget is. Over the embedded service, its base
   * URL is the proxy's own, which the links in answers begin with.
   */
  readonly client: Client;
  /** What programs send in place of the account's key. */
  readonly key: string;
  /** In whose words refusals say how to go on: `svc run`. */
  readonly command: string;
  readonly rules?: readonly ModelRule[];
  readonly watchers?: readonly ProxyWatcher[];
  /** For forwarded requests alone, such as one that keeps them on a tape. */
  readonly transport?: Transport | undefined;
  /** Nothing is paid for, so no price is asked for. */
  readonly isFree?: boolean;
  /** The first request without a limit of its answer has got one, because of the ceiling. */
  readonly onLimited?: (maxTokens: number) => void;
}

/** Where the requests of a program go. Its `answer` is that of a listener. */
export class Proxy {
  /** Of the requests that have ended; prices are added as they become known. */
  readonly totals = new Totals();
  readonly #route: Router<Endpoint>;
  readonly #secret: readonly Buffer[] | undefined;
  /** For forms. */
  readonly #spending: Spending | undefined;
  readonly #prices: OpenPrices;
  /** What is under way, until its answer has ended. */
  readonly #live = new Map<AbortController, Promise<void>>();
  readonly #room = new BodyRoom();
  #hasLimited = false;

  constructor(private readonly options: ProxyOptions) {
    const { client } = options;
    this.#route = makeRouter<Endpoint>(endpoints, client.brand);
    // That of the embedded service opens nothing else, and its manual names it.
    const isOpen = client.key === undefined || client.key === localKey(client.brand);
    this.#secret = isOpen ? undefined : formsOfKey(client.key);
    this.#spending = client.spending && inTurn(client.spending);
    void keepHeapSmall();
    this.#prices = new OpenPrices(client, (request) => {
      this.totals.settle(request);
      for (const watcher of options.watchers ?? []) watcher.onPrice?.(request);
    });
  }

  /** Answers a request of a program. Never rejects. */
  readonly answer = async (request: ServiceRequest): Promise<Reply> => {
    const { pathname, search } = new URL(request.url);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // Programs look here to see whether anything answers.
    if (pathname === '/' && isRead) return json({ object: 'service' });
    const found = this.#find(request.method, pathname, search);
    const proxied: ProxiedRequest = {
      atMs: this.options.client.clock.now(),
      method: request.method,
      path: pathname,
      row: found?.row,
      status: 0,
      isWhole: false,
    };
    const refusal = this.#refusalOf(request, proxied);
    if (refusal || !found) {
      const missing = `the service has no ${proxied.method} ${proxied.path}`;
      const reply = this.#refuse(proxied, refusal ?? refused(404, 'path_not_found', missing));
      this.#ended(proxied);
      return reply;
    }
    return new Promise((pass) => {
      const gone = new AbortController();
      const work = this.#forward(request, proxied, found, { gone, pass });
      this.#live.set(
        gone,
        work.finally(() => this.#live.delete(gone)),
      );
    });
  };

  /** Gives up what is under way, and learns the prices that are open. */
  async end(limitMs: number): Promise<void> {
    for (const gone of this.#live.keys()) gone.abort();
    await Promise.all(this.#live.values());
    await this.#prices.end(limitMs);
  }

  async #forward(
    request: ServiceRequest,
    proxied: ProxiedRequest,
    { row, path }: Found,
    { gone, pass }: { gone: AbortController; pass: (reply: Reply) => void },
  ): Promise<void> {
    const { headers } = request;
    const signal = AbortSignal.any([gone.signal, request.signal]);
    // Attempts of which something may have arrived.
    const state = { sent: 0 };
    const contentType = headers.get('content-type') ?? 'application/json';
    const hasForm = isForm(contentType);
    const client = this.#clientOf(hasForm, signal, state);
    let body: HeldBody | undefined;
    try {
      body = await this.#bodyOf(request, proxied, row);
      const isPriced = hasForm && client.spending && row.paid;
      const payload = isPriced ? await formPayload(body, contentType) : body.payload;
      const raw = {
        ...rawRequest(request, row, path, client),
        payload: body.payload.length > 0 ? { contentType, body: payload } : undefined,
      };
      const retried = retriedAs(row, headers.get('idempotency-key') !== null, body.text);
      const hidden = this.#secret === undefined ? undefined : new HiddenKey(this.#secret);
      await forward({ request: proxied, row, retried, raw, client, hidden }, pass);
    } catch (error) {
      const isUnsent = state.sent === 0 || isOfUnsent(error);
      pass(this.#refuse(proxied, refusalFor(error), isUnsent));
      // A body that breaks off may be seen before that.
      if (signal.aborted || recordOf(error)['code'] === 'ECONNRESET') proxied.status = 0;
    } finally {
      if (body) describe(proxied, body);
      await body?.close();
      this.#ended(proxied);
    }
  }

  #clientOf(hasForm: boolean, signal: AbortSignal, state: { sent: number }): Client {
    const { client, transport = client.transport } = this.options;
    return {
      ...client,
      signal,
      spending: hasForm ? this.#spending : client.spending,
      transport: (request) => {
        state.sent += 1;
        return transport({ ...request, isFrequent: true }).catch((error: unknown) => {
          if (error instanceof AttemptFailed && !error.sent) state.sent -= 1;
          throw error;
        });
      },
    };
  }

  /** What is sent: byte for byte, but for the model's name and the limit of an answer. */
  async #bodyOf(request: ServiceRequest, proxied: ProxiedRequest, row: Endpoint) {
    const { client, onLimited, rules = [] } = this.options;
    const isPriced = client.spending !== undefined && row.paid !== undefined;
    const hasForm = isForm(request.headers.get('content-type') ?? '');
    const maxBytes = row.maxBodyBytes ?? (hasForm ? voice.bodyBytes : maxJsonBytes);
    const held = await this.#room.hold(bodyPieces(request, maxBytes));
    try {
      const text = !hasForm && (isPriced || rules.length > 0) ? held.text() : '';
      const body = jsonIn(text);
      // The service says what is wrong with anything else.
      if (!body) return held;
      const named = mapped(body, rules);
      const sent = isPriced ? limited(row, named) : named;
      proxied.model = nameIn(sent);
      const isKept = sent === body && !(isPriced && hasNamesTwice(text, body));
      if (isKept) return held;
      if (sent !== named && !this.#hasLimited) onLimited?.(messagesMaxTokens);
      this.#hasLimited ||= sent !== named;
      await held.close();
      return await this.#room.hold(piecesOf(toJson(sent)));
    } catch (error) {
      await held.close();
      throw error;
    }
  }

  /** The row of a path in any form that base URLs lead to, and its path at the service. */
  #find(method: string, pathname: string, query: string): Found | undefined {
    const asked = method === 'HEAD' ? 'GET' : method;
    for (const path of [pathname, pathname.replace(/^\/v1(?=\/)/, ''), `/v1${pathname}`]) {
      const { match } = this.#route(asked, path);
      if (match) return isOneRow(match) ? { row: match.row, path: path + query } : undefined;
    }
    return undefined;
  }

  #refusalOf({ headers }: ServiceRequest, { row }: ProxiedRequest): Refusal | undefined {
    const { command, key } = this.options;
    if (headers.get('upgrade') !== null) {
      return refused(426, 'upgrade_required', `${command} serves HTTP without an upgrade`);
    }
    const bearer = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
    const isKnown = bearer === key || headers.get('x-api-key')?.trim() === key;
    // Links to results are signed, and what is public needs no key.
    if (!isKnown && row?.auth !== 'signature' && row?.auth !== 'none') {
      const message = `the key is not that of this ${command}: use the value that it gives for OPENAI_API_KEY`;
      return refused(401, 'invalid_api_key', message);
    }
    if (row?.auth !== 'session') return undefined;
    return refused(
      403,
      'session_required',
      'this needs a web cabinet session, which is not passed',
    );
  }

  #refuse(request: ProxiedRequest, refusal: Refusal, isUnsent = true): Reply {
    request.status = refusal.status;
    if (isUnsent) {
      request.refusal = refusal.error;
      request.priceRub = 0;
    }
    return refusalReply(refusal, request.path, this.options.command);
  }

  #ended(request: ProxiedRequest): void {
    const { client, isFree, watchers = [] } = this.options;
    request.ms = client.clock.now() - request.atMs;
    if (isFree || !request.row?.paid) request.priceRub = 0;
    this.totals.add(request);
    if (this.totals.all.requests === manyRequests) void keepHeapTight();
    for (const watcher of watchers) watcher.onEnd?.(request);
    // Others may hold it until its price is known.
    request.sent = undefined;
    request.answer = undefined;
    const { generationId, priceRub } = request;
    if (priceRub === undefined && generationId !== undefined) {
      this.#prices.add(generationId, request);
    }
  }
}

interface Found {
  readonly row: Endpoint;
  /** At the service, with its query. */
  readonly path: string;
}

/** With fewer, a run is over before its memory matters. */
const manyRequests = 300;
/** Of the embedded service, where section 8 gives no limit. */
const maxJsonBytes = 32 * 1024 * 1024;

const isForm = (contentType: string) => /^multipart\//i.test(contentType);

/** A longer one is no conversation. */
const maxLoggedBytes = 8 * 1024 * 1024;

/** Adds what the log and the totals need, when nothing waits for it. */
function describe(request: ProxiedRequest, body: HeldBody): void {
  const { row } = request;
  if (body.payload.length > maxLoggedBytes || !row?.body || row.bodyKind === 'multipart') return;
  if (row.stream) request.sent = body.text();
  try {
    request.model ??= modelIn(body.text());
  } catch {
    // The service has refused it too.
  }
}

/**
 * Whether every server finds the same row for a path: those that decode it before they look may
 * take the slashes and dots of an id for steps, to a row that is paid for.
 */
function isOneRow({ row, params }: { row: Endpoint; params: Readonly<Record<string, string>> }) {
  const isStep = row.openEnded ? /(?:^|[\\/])\.{1,2}(?:[\\/;]|$)|%/ : /[\\/?#;%]|^\.{1,2}$/;
  return Object.values(params).every((value) => !isStep.test(value));
}
