/** Proxies, and a service behind them. */
import { createServer } from 'node:https';
import net, { type Socket } from 'node:net';
import { cert, key } from './certificate.js';
import { listening, onHead, peer } from './rig.js';

/** A service over TLS for the length of a test, and the requests that it received. */
export async function secureService() {
  const received: string[] = [];
  const service = createServer({ cert, key }, ({ method, url }, response) => {
    received.push(`${method} ${url}`);
    response.end('from the service');
  });
  const { port } = await listening(service);
  return { port, received };
}

export interface ProxyServer {
  readonly address: string;
  readonly port: number;
  /** The heads of the requests made to the proxy itself. */
  readonly heads: string[];
  /** All bytes that clients sent through it, as latin1. */
  readonly seen: () => string;
}

export type ProxyManner = (head: string, socket: Socket) => void;

/** A proxy for the length of a test; `manner` does what it does with a request. */
export async function proxyServer(manner: ProxyManner): Promise<ProxyServer> {
  const heads: string[] = [];
  const seen: string[] = [];
  const { port } = await peer((socket) => {
    socket.on('data', (chunk: Buffer) => seen.push(chunk.toString('latin1')));
    let isTunnel = false;
    onHead(socket, (head) => {
      if (isTunnel) return;
      isTunnel = true;
      heads.push(head);
      manner(head, socket);
    });
  });
  return { address: `http://127.0.0.1:${port}`, port, heads, seen: () => seen.join('') };
}

/** A secure service, and a proxy that opens a tunnel to it, whatever host was asked for. */
export async function tunnelled() {
  const service = await secureService();
  const proxy = await proxyServer((_head, socket) => {
    const target = net.connect(service.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
  });
  return { service, proxy };
}
