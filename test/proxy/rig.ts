/** The proxy on a socket, in front of a service on another. */
import { onTestFinished } from 'vitest';
import type { Client } from '../../src/api/client.js';
import type { ProxiedRequest } from '../../src/proxy/proxied.js';
import { Proxy, type ProxyOptions } from '../../src/proxy/proxy.js';
import { listen } from '../../src/service/listen.js';
import { contextOver } from '../helpers/context.js';
import { fakeKey } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';

export const runKey = `sk-run-${'0123456789abcdef'.repeat(2)}`;

export interface Proxied {
  readonly proxy: Proxy;
  /** Of the proxy, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** What the watcher was told, in order. */
  readonly ended: ProxiedRequest[];
  readonly priced: ProxiedRequest[];
  /** Asks with the run's key. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  readonly chat: (body: object, init?: RequestInit) => Promise<Response>;
}

/** A client as commands have it. @param flags global ones, such as `maxCost` */
export function clientFor(
  baseUrl: string,
  flags: Readonly<Record<string, unknown>> = {},
  key = fakeKey,
): Promise<Client> {
  const env = { SVC_BASE_URL: baseUrl, SVC_API_KEY: key, SVC_CONFIG_DIR: testFolder() };
  return contextOver({ flags, env }).context.client();
}

export async function startProxy(
  client: Client,
  options: Partial<ProxyOptions> = {},
): Promise<Proxied> {
  const [ended, priced]: ProxiedRequest[][] = [[], []];
  const watcher = {
    onEnd: (request: ProxiedRequest) => void ended?.push(request),
    onPrice: (request: ProxiedRequest) => void priced?.push(request),
  };
  const proxy = new Proxy({ client, key: runKey, command: 'svc run', watcher, ...options });
  const server = await listen(proxy, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    await proxy.end(0);
  });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { 'x-api-key': runKey, ...init.headers } });
  return {
    proxy,
    url: server.url,
    port: Number(new URL(server.url).port),
    ended: ended ?? [],
    priced: priced ?? [],
    ask,
    chat: (body, init) =>
      ask('/v1/chat/completions', {
        method: 'POST',
        body: JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', ...init?.headers },
      }),
  };
}
