/** Forwards the requests of other programs to the service, under one ceiling. */
import type { Client } from '../api/client.js';
import type { RawRequest } from '../api/prepare.js';
import { retriedAs } from '../api/call.js';
import type { Endpoint } from '../contract/endpoint.js';
import { endpoints } from '../contract/index.js';
import { makeRouter, type Router } from '../contract/route.js';
import { outcomeIsUnknown } from '../api/failure.js';
import { PriceTooHigh, SvcError } from '../errors.js';
import type { Transport } from '../http/types.js';
import { parsedJson, recordOf, textOf } from '../lib/json.js';
import { bodyPieces, readAll, type ServiceRequest } from '../service/body.js';
import { json, type Reply } from '../service/call.js';
import { localKey } from '../service/keys.js';
import { forward } from './exchange.js';
import { HiddenKey } from './hidden-key.js';
import { OpenPrices } from './prices.js';
import type { ModelRule, ProxiedRequest, ProxyWatcher } from './proxied.js';
import { refusalFor, refusalReply, refused, type Refusal } from './refusal.js';
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
  readonly watcher?: ProxyWatcher;
  /** For forwarded requests alone, such as one that keeps them on a tape. */
  readonly transport?: Transport;
  /** Nothing is paid for, so no price is asked for. */
  readonly isFree?: boolean;
  /** A request was refused for its price. */
  readonly onMoneyRefused?: (refusal: SvcError) => void;
  /** The first request without a limit of its answer has got one, because of the ceiling. */
  readonly onLimited?: (maxTokens: number) => void;
}

/** Where the requests of a program go. Its `answer` is that of a listener. */
export class Proxy {
  /** Of the requests that have ended; prices are added as they become known. */
  readonly totals = new Totals();
  readonly #route: Router<Endpoint>;
  readonly #hidden: HiddenKey | undefined;
  readonly #prices: OpenPrices;
  /** What is under way, until its answer has ended. */
  readonly #live = new Map<AbortController, Promise<void>>();
  #count = 0;

  constructor(private readonly options: ProxyOptions) {
    const { client } = options;
    this.#route = makeRouter<Endpoint>(endpoints, client.brand);
    const isSecret = client.key !== undefined && client.key !== localKey(client.brand);
    this.#hidden = isSecret ? new HiddenKey(client.key) : undefined;
    this.#prices = new OpenPrices(client, (request) => {
      this.totals.settle(request);
      options.watcher?.onPrice?.(request);
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
      number: (this.#count += 1),
      atMs: this.options.client.clock.now(),
      method: request.method,
      path: pathname,
      row: found?.row,
      status: 0,
      isWhole: false,
    };
    const refusal = this.#refusalOf(request, proxied);
    if (refusal || !found) {
      const reply = this.#refuse(proxied, refusal ?? notFound(proxied));
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
    const { client, transport = client.transport } = this.options;
    const leave = () => gone.abort();
    request.signal.addEventListener('abort', leave, { once: true });
    let hasLeft = false;
    const own: Client = {
      ...client,
      signal: gone.signal,
      transport: (sent) => {
        hasLeft = true;
        return transport(sent);
      },
    };
    try {
      const bytes = await readAll(bodyPieces(request, row.maxBodyBytes ?? maxBodyBytes));
      const text = bytes.toString('utf8');
      proxied.model = textOf(recordOf(parsedJson(text))['model']);
      if (row.stream) proxied.sent = text;
      const hasKey = request.headers.get('idempotency-key') !== null;
      const retried = retriedAs(row, hasKey, () => text);
      const raw = this.#rawOf(request, row, path, bytes);
      const hidden = this.#hidden;
      await forward({ request: proxied, row, retried, raw, client: own, hidden }, pass);
    } catch (error) {
      const isKnown = error instanceof SvcError && !outcomeIsUnknown(error);
      pass(this.#refuse(proxied, refusalFor(error), isKnown || !hasLeft));
    } finally {
      request.signal.removeEventListener('abort', leave);
      this.#ended(proxied);
    }
  }

  #rawOf(
    { method, headers }: ServiceRequest,
    row: Endpoint,
    path: string,
    body: Buffer,
  ): RawRequest {
    const { client } = this.options;
    const named = Object.keys(row.headers ?? {}).map((name) => client.brand.path(name));
    const passed = [...passedHeaders, ...named].flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name.toLowerCase(), value] as const];
    });
    const isKeyed = row.auth === 'bearer' || row.auth === 'key';
    const contentType = headers.get('content-type') ?? 'application/json';
    return {
      method,
      path,
      isKeyed: isKeyed && client.key !== undefined,
      accept: headers.get('accept') ?? '*/*',
      headers: Object.fromEntries(passed),
      payload: body.length > 0 ? { contentType, body } : undefined,
      // An answer that does not stream is made whole before its first byte comes.
      slow: row.slow ?? row.stream !== undefined,
    };
  }

  /** The row of a path in any form that base URLs lead to, and its path at the service. */
  #find(method: string, pathname: string, query: string): Found | undefined {
    const asked = method === 'HEAD' ? 'GET' : method;
    for (const path of [pathname, pathname.replace(/^\/v1(?=\/)/, ''), `/v1${pathname}`]) {
      const { match } = this.#route(asked, path);
      if (match) return { row: match.row, path: path + query };
    }
    return undefined;
  }

  #refusalOf({ headers }: ServiceRequest, { row }: ProxiedRequest): Refusal | undefined {
    const { command, key } = this.options;
    if (headers.get('upgrade') !== null) {
      return refused(426, 'upgrade_required', `${command} serves HTTP without an upgrade`);
    }
    const bearer = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
    if (bearer !== key && headers.get('x-api-key')?.trim() !== key) {
      const message = `the key is not that of this ${command}: it is in OPENAI_API_KEY and ANTHROPIC_API_KEY of the programs that it starts`;
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
    const { command, onMoneyRefused } = this.options;
    const { error, status } = refusal;
    request.status = status;
    if (isUnsent) {
      request.refusal = error;
      request.priceRub = 0;
    }
    if (error instanceof PriceTooHigh) onMoneyRefused?.(error);
    return refusalReply(refusal, request.path, command);
  }

  #ended(request: ProxiedRequest): void {
    const { client, isFree, watcher } = this.options;
    request.ms = client.clock.now() - request.atMs;
    if (isFree || !request.row?.paid) request.priceRub = 0;
    this.totals.add(request);
    watcher?.onEnd?.(request);
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

/** Where section 8 gives no limit. */
const maxBodyBytes = 32 * 1024 * 1024;
/** All others, and keys above all, stay here. */
const passedHeaders = ['idempotency-key', 'anthropic-beta', 'anthropic-version', 'openai-beta'];

function notFound({ method, path }: ProxiedRequest): Refusal {
  return refused(404, 'path_not_found', `the service has no ${method} ${path}`);
}
