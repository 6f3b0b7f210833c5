/** The proxy on a socket, in front of a service on another. */
import { onTestFinished } from 'vitest';
import type { Client } from '../../src/api/client.js';
import type { ProxiedRequest, ProxyWatcher } from '../../src/proxy/proxied.js';
import { Proxy, type ProxyOptions } from '../../src/proxy/proxy.js';
import { listen } from '../../src/service/listen.js';
import { contextOver } from '../helpers/context.js';
import { fakeKey } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { gate } from '../helpers/gate.js';

export const runKey = `sk-run-${'0123456789abcdef'.repeat(2)}`;

export const question = {
  model: 'local/echo',
  messages: [{ role: 'user', content: 'hello there' }],
  max_tokens: 16,
};

/** A client as commands have it. @param flags global ones, such as `maxCost` */
export function clientFor(
  baseUrl: string,
  flags: Readonly<Record<string, unknown>> = {},
  key = fakeKey,
): Promise<Client> {
  const env = { SVC_BASE_URL: baseUrl, SVC_API_KEY: key, SVC_CONFIG_DIR: testFolder() };
  return contextOver({ flags, env }).context.client();
}

export type Asked = Omit<RequestInit, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** A running proxy, and what its watcher was told. */
export class RunningProxy {
  readonly ended: ProxiedRequest[] = [];
  readonly priced: ProxiedRequest[] = [];
  readonly limits: number[] = [];
  readonly #waiting: { readonly count: number; readonly open: () => void }[] = [];

  constructor(
    readonly proxy: Proxy,
    /** Without a slash at its end. */
    readonly url: string,
  ) {}

  get port(): number {
    return Number(new URL(this.url).port);
  }

  readonly onEnd = (request: ProxiedRequest): void => {
    this.ended.push({ ...request });
    for (const { count, open } of this.#waiting) if (this.ended.length >= count) open();
  };

  /** Resolves when so many requests have ended. */
  async endOf(count: number): Promise<readonly ProxiedRequest[]> {
    const { open, opened } = gate();
    this.#waiting.push({ count, open });
    if (this.ended.length >= count) open();
    await opened;
    return this.ended;
  }

  /** Asks with the run's key. */
  ask(path: string, init: Asked = {}): Promise<Response> {
    return fetch(this.url + path, { ...init, headers: { 'x-api-key': runKey, ...init.headers } });
  }

  post(path: string, body: unknown, init: Asked = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...init.headers };
    return this.ask(path, { method: 'POST', body: JSON.stringify(body), ...init, headers });
  }

  chat(body: object = question, init: Asked = {}): Promise<Response> {
    return this.post('/v1/chat/completions', body, init);
  }
}

export async function startProxy(
  client: Client,
  options: Partial<ProxyOptions> = {},
): Promise<RunningProxy> {
  const watcher: ProxyWatcher = {
    onEnd: (request) => running.onEnd(request),
    onPrice: (request) => void running.priced.push(request),
  };
  const proxy = new Proxy({
    client,
    key: runKey,
    command: 'svc run',
    watchers: [watcher],
    onLimited: (maxTokens) => void running.limits.push(maxTokens),
    ...options,
  });
  const server = await listen(proxy, { host: '127.0.0.1', port: 0 });
  const running = new RunningProxy(proxy, server.url);
  onTestFinished(async () => {
    await server.close();
    await proxy.end(0);
  });
  return running;
}
