/** Asks a proxy for a line to a service. */
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { proxyFailure } from './failure.js';
import { AttemptFailed } from './types.js';

/**
 * The same line, which from now on leads to the service.
 * @throws AttemptFailed with nothing sent when the proxy refuses or hangs up.
 */
export function openTunnel(line: Socket, url: URL, proxy: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const target = `${url.hostname}:${url.port || '443'}`;
    const ask = http.request({
      createConnection: () => line,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyHeaders(proxy) },
    });
    ask.once('connect', ({ statusCode = 0 }, socket: Duplex, early: Buffer) => {
      if (statusCode < 200 || statusCode > 299 || !(socket instanceof Socket)) {
        reject(refusal(statusCode, url, proxy));
        return;
      }
      if (early.length > 0) socket.unshift(early);
      resolve(socket);
    });
    ask.once('error', (error) => {
      reject(proxyFailure(proxy, error));
    });
    ask.end();
  });
}

/** Who asks, when the proxy's address says so. */
export function proxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return { 'proxy-authorization': `Basic ${pair.toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing stands for itself.
    return text;
  }
}

function refusal(status: number, url: URL, proxy: URL): AttemptFailed {
  const words = status === 407 ? 'wants a name and a password' : `refuses to connect (${status})`;
  return new AttemptFailed('connect', false, `${url.host}: the proxy ${proxy.host} ${words}`);
}
