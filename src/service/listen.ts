/** Puts the embedded service behind node:http, for this machine alone. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { isLoopback } from '../lib/loopback.js';
import { bridge } from './bridge.js';
import type { Service } from './service.js';

export interface ListenOptions {
  /** A loopback address or `localhost`. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** How long the head of a request may take to arrive, in milliseconds. */
  readonly headTimeoutMs?: number;
  /** How long a whole request may take to arrive, in milliseconds. */
  readonly requestTimeoutMs?: number;
}

export interface Listening {
  /** `http://127.0.0.1:8787`, without a slash at its end. */
  readonly url: string;
  /** Stops listening and breaks off what is under way. */
  close(): Promise<void>;
}

/** The service cannot listen there; the message says why. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Listens until it is closed.
 * @throws ListenError when the host is not loopback or the port cannot be had
 */
export async function listen(service: Service, options: ListenOptions): Promise<Listening> {
  const { host, port, headTimeoutMs = 10_000, requestTimeoutMs = 60_000 } = options;
  if (!isLoopback(urlHost(host))) {
    throw new ListenError(`${host} is not a loopback address: the service is for this machine`);
  }
  const names = new Set<string>();
  const server = createServer(
    {
      headersTimeout: headTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, headTimeoutMs / 2),
    },
    bridge(service, names),
  );
  server.maxConnections = mostConnections();
  const address = await bind(server, host, port);
  for (const name of allowedHosts(address)) names.add(name);
  return {
    url: `http://${urlHost(address.host)}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What the process itself needs of its descriptors. */
const ownDescriptors = 32;
/** Where the system tells no limit: the smallest that is usual. */
const usualLimit = 256;

/** So many that each may open a file; without a descriptor left, the process could not go on. */
function mostConnections(): number {
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux has it.
  }
  const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? usualLimit);
  return Math.max(1, Math.floor((limit - ownDescriptors) / 2));
}

interface Address {
  readonly host: string;
  readonly port: number;
}

function bind(server: Server, host: string, port: number): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new ListenError(`cannot listen on ${host}:${port}: ${error.message}`, { cause: error }),
      );
    });
    server.listen({ host, port }, () => {
      const address = server.address();
      // What a name such as localhost leads to is only known now.
      if (
        address === null ||
        typeof address === 'string' ||
        !isLoopback(urlHost(address.address))
      ) {
        server.close();
        reject(new ListenError(`${host} does not lead to a loopback address`));
        return;
      }
      resolve({ host: address.address, port: address.port });
    });
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * What the Host header may say, exactly: a page that has its own name point at this machine
 * sends another one.
 */
function allowedHosts({ host, port }: Address): string[] {
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', urlHost(host)]);
  return [...names].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}
