import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen, type ListenOptions } from '../../src/service/listen.js';
import type { Reply } from '../../src/service/call.js';
import type { ServiceRequest } from '../../src/service/body.js';
import { keys } from './helpers.js';

type Listening = Parameters<typeof listen>[0];

export async function start(service: Listening, options: Partial<ListenOptions> = {}) {
  const server = await listen(service, { host: '127.0.0.1', port: 0, ...options });
  onTestFinished(() => server.close());
  return { ...server, port: Number(new URL(server.url).port) };
}

/** A service that answers everything with this. */
export function answering(respond: (request: ServiceRequest) => Reply | Promise<Reply>): Listening {
  return { answer: async (request) => respond(request) };
}

/** A connection that collects what it receives. */
export class RawConnection {
  received = '';
  readonly closed: Promise<void>;

  constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.received += bytes.toString('latin1');
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve());
    });
    socket.on('error', () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
  }

  /** Resolves once `pattern` has arrived; rejects when the connection closes first. */
  async until(pattern: RegExp | string): Promise<string> {
    const found = () =>
      typeof pattern === 'string' ? this.received.includes(pattern) : pattern.test(this.received);
    while (!found()) {
      const closed = this.closed.then(() => {
        if (!found()) throw new Error(`closed after ${JSON.stringify(this.received)}`);
      });
      await Promise.race([once(this.socket, 'data'), closed]);
    }
    return this.received;
  }
}

export async function dial(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host });
  await once(socket, 'connect');
  return new RawConnection(socket);
}

/** Sends a whole request and resolves to everything received until the connection closes. */
export async function exchange(port: number, head: string[], body = ''): Promise<string> {
  const line = await dial(port);
  line.socket.write([...head, 'connection: close', '', body].join('\r\n'));
  await line.closed;
  return line.received;
}

export function chatHead(port: number, length: number, key: string = keys.local): string[] {
  return [
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${length}`,
  ];
}
