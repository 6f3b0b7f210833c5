/** Requests through a proxy, over undici. Loaded only when a proxy applies. */
import { Readable } from 'node:stream';
import { Client, ProxyAgent, type Dispatcher } from 'undici';
import { codeOf, connectFailure, exchangeFailure } from './failure.js';
import { Incoming } from './incoming.js';
import { outgoing, type Outgoing } from './outgoing.js';
import { inWords, limit, noTimer } from './timeouts.js';
import { AttemptFailed, type HttpRequest, type HttpResponse, type Transport } from './types.js';

/** A transport that goes through one proxy: CONNECT for https, the whole URL for http. */
export function createProxied(proxy: URL): Transport {
  return (request) => new ProxiedAttempt(request, proxy).run();
}

/** A line to the proxy that asks for a tunnel. */
class Tunnelling extends Client {
  /** A proxy that hangs up on CONNECT is a failure: undici would ask again without end or pause. */
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (cause) {
      throw codeOf(cause) === 'UND_ERR_SOCKET'
        ? Object.assign(new Error('the proxy hung up', { cause }), { code: 'ECONNRESET' })
        : cause;
    }
  }
}

interface PromiseResolvers {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (failure: AttemptFailed) => void;
}

/** One attempt on a line of its own: a tunnel that has carried an answer is not used again. */
class ProxiedAttempt {
  readonly #request: HttpRequest;
  readonly #proxy: URL;
  readonly #line: Dispatcher;
  readonly #body: Outgoing | undefined;
  #outcome: PromiseResolvers | undefined;
  #stopTimer = noTimer;
  #isSent = false;
  #isSettled = false;
  #bodyError: { cause: unknown } | undefined;
  #incoming: Incoming | undefined;
  #receive: ((piece: Buffer) => void) | undefined;

  constructor(request: HttpRequest, proxy: URL) {
    this.#request = request;
    this.#proxy = proxy;
    this.#line = this.#isTunnelled() ? tunnelThrough(proxy) : new Client(proxy.origin, lineOptions);
    this.#body = outgoing(request.body);
  }

  run(): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      this.#outcome = { resolve, reject };
      const { signal, timeouts } = this.#request;
      signal?.addEventListener('abort', this.#onAbort, { once: true });
      if (signal?.aborted) {
        this.#onAbort();
        return;
      }
      this.#stopTimer = limit(timeouts.connectMs, () => {
        this.#fail('connect-timeout', `no connection within ${inWords(timeouts.connectMs)}`);
      });
      this.#line.dispatch(this.#options(), this.#handler());
    });
  }

  #isTunnelled(): boolean {
    return this.#request.url.protocol === 'https:';
  }

  #options(): Dispatcher.DispatchOptions {
    const { url, method, headers } = this.#request;
    const authorization = this.#isTunnelled() ? undefined : credentials(this.#proxy);
    return {
      origin: this.#isTunnelled() ? url.origin : this.#proxy.origin,
      path: this.#isTunnelled() ? url.pathname + url.search : url.href,
      method,
      headers: {
        host: url.host,
        'accept-encoding': 'identity',
        ...headers,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
        ...(this.#body === undefined ? {} : { 'content-length': String(this.#body.length) }),
      },
      body: this.#outgoingBody(),
      // The limits are those of the direct way, kept here.
      headersTimeout: 0,
      bodyTimeout: 0,
      reset: true,
    };
  }

  #outgoingBody(): Dispatcher.DispatchOptions['body'] {
    const body = this.#body;
    if (!body) return null;
    return 'whole' in body ? body.whole : Readable.from(this.#pieces(body.pieces()));
  }

  async *#pieces(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<Buffer> {
    try {
      // undici asks for the next piece before this one has left: a source may reuse its memory.
      for await (const piece of source) yield Buffer.from(piece);
    } catch (cause) {
      this.#bodyError = { cause };
      throw cause;
    }
    this.#awaitFirstByte();
  }

  #handler(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: () => {
        this.#isSent = true;
        this.#stopTimer();
        if (!this.#body || 'whole' in this.#body) this.#awaitFirstByte();
      },
      onResponseStart: (controller, status, headers) => {
        if (status < 200 || this.#isSettled) return;
        controller.pause();
        this.#settle();
        this.#outcome?.resolve(this.#response(controller, status, headers));
      },
      onResponseData: (_controller, piece) => {
        this.#receive?.(piece);
      },
      onResponseEnd: () => {
        this.#incoming?.finish();
        this.#close();
      },
      onResponseError: (_controller, error) => {
        if (this.#incoming) this.#cut(this.#incoming, error);
        else this.#failFrom(error);
        this.#close();
      },
    };
  }

  #response(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): HttpResponse {
    const { url, signal, timeouts } = this.#request;
    const incoming = new Incoming({
      host: url.host,
      idleMs: timeouts.idleMs,
      signal,
      source: {
        start: (receive) => {
          this.#receive = receive;
          controller.resume();
        },
        pause: () => {
          controller.pause();
        },
        resume: () => {
          controller.resume();
        },
        destroy: () => {
          this.#close();
        },
      },
    });
    this.#incoming = incoming;
    return {
      status,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
      ),
      pour: (sink) => incoming.pour(sink),
      discard: () => {
        incoming.discard();
      },
    };
  }

  #cut(incoming: Incoming, error: Error): void {
    const code = codeOf(error);
    if (code === 'ECONNRESET') {
      incoming.cut('reset', 'the connection dropped in the middle of the answer', error);
    } else if (code.startsWith('HPE_') && !code.includes('EOF')) {
      incoming.cut('truncated', 'the answer is garbled', error);
    } else {
      incoming.cut('truncated', 'the answer broke off early', error);
    }
  }

  #failFrom(error: Error): void {
    const { url } = this.#request;
    if (this.#bodyError) {
      this.#fail('body', 'the body of the request could not be read', this.#bodyError.cause);
    } else if (codeOf(error) === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') {
      this.#fail('body', 'the body of the request changed its length while it was read', error);
    } else if (this.#isSent) {
      this.#settleWith(exchangeFailure(url, error));
    } else {
      this.#settleWith(this.#connectFailure(error));
    }
  }

  #connectFailure(error: Error): AttemptFailed {
    const status = /Proxy response \((\d+)\)/.exec(error.message)?.[1];
    if (status !== undefined) {
      const words =
        status === '407' ? 'wants a name and a password' : `refuses to connect (${status})`;
      const message = `${this.#request.url.host}: the proxy ${this.#proxy.host} ${words}`;
      return new AttemptFailed('connect', false, message, error);
    }
    const cause = codeOf(error) === 'UND_ERR_PRX_TLS' ? error.cause : error;
    const failure = connectFailure(this.#request.url, cause);
    // A certificate is the service's, nearly always; the rest happens on the way to the proxy.
    if (failure.reason === 'tls') return failure;
    const { reason, message } = connectFailure(this.#proxy, cause);
    return new AttemptFailed(reason, false, `proxy ${message}`, error);
  }

  #awaitFirstByte(): void {
    if (this.#isSettled) return;
    const { firstByteMs } = this.#request.timeouts;
    this.#stopTimer = limit(firstByteMs, () => {
      this.#fail('first-byte-timeout', `no answer within ${inWords(firstByteMs)}`);
    });
  }

  readonly #onAbort = (): void => {
    const { signal } = this.#request;
    this.#settleWith(new AttemptFailed('aborted', this.#isSent, 'aborted', signal?.reason));
  };

  #fail(reason: AttemptFailed['reason'], words: string, cause?: unknown): void {
    const { host } = this.#request.url;
    this.#settleWith(new AttemptFailed(reason, this.#isSent, `${host}: ${words}`, cause));
  }

  #settleWith(failure: AttemptFailed): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#outcome?.reject(failure);
    this.#close();
  }

  #settle(): void {
    this.#isSettled = true;
    this.#stopTimer();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }

  #close(): void {
    void this.#line.destroy();
  }
}

const lineOptions = {
  connect: { timeout: 0, autoSelectFamilyAttemptTimeout: 1500 },
  pipelining: 1,
} as const;

function tunnelThrough(proxy: URL): Dispatcher {
  const token = credentials(proxy);
  return new ProxyAgent({
    uri: proxy.origin,
    ...(token === undefined ? {} : { token }),
    proxyTls: lineOptions.connect,
    requestTls: { timeout: 0 },
    connections: 1,
    clientFactory: (origin, options) => new Tunnelling(origin, options),
  });
}

function credentials({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing stands for itself.
    return text;
  }
}
