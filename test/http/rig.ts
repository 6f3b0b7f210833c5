/** Servers that misbehave as a test says, and requests to them. */
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpRequest, Timeouts } from '../../src/http/types.js';

export { gate } from '../helpers/gate.js';
export { textOf } from './text.js';

/** Long enough never to pass in a test that is not about it. */
export const patient: Timeouts = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000 };

export interface Peer {
  readonly url: URL;
  readonly port: number;
  /** Every connection made so far. */
  readonly sockets: readonly Socket[];
}

/** A TCP server for the length of a test; each connection is handed to `onSocket`. */
export function peer(onSocket: (socket: Socket, nth: number) => void): Promise<Peer> {
  const sockets: Socket[] = [];
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    onSocket(socket, sockets.push(socket));
  });
  return listening(server, sockets);
}

/** Any server on loopback for the length of a test. */
export function listening(server: Server, sockets: Socket[] = []): Promise<Peer> {
  server.on('connection', (socket: Socket) => {
    if (!sockets.includes(socket)) sockets.push(socket);
  });
  onTestFinished(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = addressOf(server);
      resolve({ url: new URL(`http://127.0.0.1:${port}/v1/balance?a=1`), port, sockets });
    });
  });
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address;
}

/** Answers each request head on a connection with `answer`, whatever body follows. */
export function answering(answer: string | Buffer, end: 'keep' | 'fin' | 'reset' = 'fin') {
  return (socket: Socket) => {
    onHead(socket, () => {
      socket.write(answer, () => {
        if (end === 'fin') socket.end();
        // A reset that arrives together with data looks like an orderly end to Node.
        if (end === 'reset') setTimeout(() => reset(socket), 30);
      });
    });
  };
}

/** Answers a request head with `start`, and then `piece` again and again. */
export function endless(start: string, piece: string) {
  return (socket: Socket) => {
    onHead(socket, () => {
      socket.write(start);
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    });
  };
}

/**
 * Resets a connection as a crashed peer does. `resetAndDestroy` says goodbye first, and the other
 * side sees an orderly end.
 */
export function reset(socket: Socket): void {
  const handle: unknown = Reflect.get(socket, '_handle');
  const act: unknown = Reflect.get(Object(handle), 'reset');
  if (typeof act !== 'function') throw new Error('this socket cannot be reset');
  Reflect.apply(act, handle, [() => undefined]);
}

/** Calls back with each request head that arrives; bodies are passed over. */
export function onHead(socket: Socket, then: (head: string) => void): void {
  let seen = '';
  socket.on('data', (chunk: Buffer) => {
    seen += chunk.toString('latin1');
    for (let end = seen.indexOf('\r\n\r\n'); end !== -1; end = seen.indexOf('\r\n\r\n')) {
      const head = /(?:GET|POST|CONNECT) \S+ HTTP\/1\.1\r\n[^]*$/.exec(seen.slice(0, end));
      seen = seen.slice(end + 4);
      if (head) then(head[0]);
    }
    seen = seen.slice(-20_000);
  });
}

/** An answer with a body of the right length. */
export function whole(body: string, status = '200 OK', headers = ''): string {
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 ${status}\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`;
}

export function getting(url: URL, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: {}, timeouts: patient, ...more };
}

export function posting(
  url: URL,
  body: HttpRequest['body'],
  more: Partial<HttpRequest> = {},
): HttpRequest {
  return getting(url, { method: 'POST', body, ...more });
}

/** What a promise rejected with; fails when it did not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to reject');
}

/** What an action throws, or rejects with; fails when it does neither. */
export const thrownBy = (act: () => unknown) => rejection((async () => await act())());

/** Resolves when the other side has closed the connection. */
export async function closed(socket: Socket | undefined): Promise<void> {
  if (!socket) throw new Error('no connection was made');
  if (socket.readableEnded || socket.closed) return;
  await new Promise((resolve) => {
    socket.once('end', resolve).once('close', resolve);
  });
}

/** A count once it has stopped rising. */
export async function stableCount(count: () => number): Promise<number> {
  for (let last = -1; ; last = count()) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    if (count() === last) return last;
  }
}
