/** Opens a connection to a service: TCP, a tunnel through a proxy, TLS for https. */
import { once } from 'node:events';
import net, { type OnReadOpts, type Socket } from 'node:net';
import { durationWords } from '../lib/duration.js';
import { limit, noTimer } from './deadline.js';
import { connectFailure, firstCodeOf } from './failure.js';
import { openTunnel } from './proxy.js';
import { AttemptFailed } from './types.js';

export interface Connecting {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** For an http service, the connection ends at an http or https proxy. */
  readonly proxy?: URL;
  /** Memory for arriving bytes, instead of 'data' events. Not with a proxy. */
  readonly onread?: OnReadOpts;
}

/** A socket to the service or, for http, to its proxy. @throws AttemptFailed with nothing sent. */
export async function connect(url: URL, connecting: Connecting): Promise<Socket> {
  const { timeoutMs, signal, proxy } = connecting;
  const sockets: Socket[] = [];
  let isOver = false;
  const hold: Hold = (socket) => {
    sockets.push(socket);
    // An abandoned socket may still emit an error.
    socket.on('error', () => undefined);
    if (isOver) socket.destroy();
    return socket;
  };
  let stopTimer = noTimer;
  let onAbort = noTimer;
  const failed = new Promise<never>((_resolve, reject) => {
    stopTimer = limit(timeoutMs, () => {
      const way = proxy ? ` through the proxy ${proxy.host}` : '';
      const words = `no connection${way} within ${durationWords(timeoutMs)}`;
      reject(new AttemptFailed('connect-timeout', false, `${url.host}: ${words}`));
    });
    onAbort = () => reject(new AttemptFailed('aborted', false, 'aborted', signal?.reason));
  });
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const socket = await Promise.race([failed, reach(url, connecting, hold)]);
    readOnAfterHangup(socket);
    return socket;
  } catch (error) {
    isOver = true;
    for (const socket of sockets) socket.destroy();
    throw connectFailure(url, error);
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}

type Hold = (socket: Socket) => Socket;

async function reach(url: URL, { proxy, onread }: Connecting, hold: Hold): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  if (onread && isSecure) {
    // On an existing connection, TLS does not read into `onread`.
    const { connect: connectTls, secureContext } = await (loaded ??= loadTls());
    const options = { ...tcpOptions(url), ...tlsOptions(url), secureContext, onread };
    return secured(hold(connectTls(options)));
  }
  const tcp = hold(net.connect({ ...tcpOptions(proxy ?? url), onread }));
  const standing = once(tcp, 'connect');
  // Loaded while TCP connects: reading the root certificates takes as long as a round trip.
  const tls = isSecure || proxy?.protocol === 'https:' ? (loaded ??= loadTls()) : undefined;
  const overTls = async (socket: Socket, to: URL) => {
    if (!tls || to.protocol !== 'https:') return socket;
    const { connect: connectTls, secureContext } = await tls;
    return secured(hold(connectTls({ socket, secureContext, ...tlsOptions(to) })));
  };
  if (!proxy) {
    await standing;
    return overTls(tcp, url);
  }
  const toProxy = await standing
    .then(() => overTls(tcp, proxy))
    .catch((error: unknown) => {
      throw connectFailure(proxy, error, true);
    });
  if (proxy.protocol.startsWith('socks')) {
    const { openSocks } = await import('./socks.js');
    return overTls(await openSocks(toProxy, tcpOptions(url), proxy), url);
  }
  return isSecure ? overTls(await openTunnel(toProxy, url, proxy), url) : toProxy;
}

/** Those of SOCKS are all 1080. */
const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

function tcpOptions(url: URL) {
  return {
    host: hostOf(url),
    port: Number(url.port || (usualPorts[url.protocol] ?? 1080)),
    noDelay: true,
    // By default, Node gives up one of several addresses after 250 ms: too soon for a distant host.
    autoSelectFamilyAttemptTimeout: 1500,
  };
}

export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

let loaded: ReturnType<typeof loadTls> | undefined;

async function loadTls() {
  const tls = await import('node:tls');
  return { connect: tls.connect, secureContext: tls.createSecureContext() };
}

function tlsOptions(url: URL) {
  const host = hostOf(url);
  return {
    host,
    // An address is not a server name (RFC 6066): it is only compared with the certificate.
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
  };
}

async function secured(socket: Socket): Promise<Socket> {
  await once(socket, 'secureConnect');
  return socket;
}

/**
 * A failed write counts as done: a server that refused a long body and hung up has already answered,
 * and its words are read.
 */
function readOnAfterHangup(socket: Socket): void {
  type Done = (error?: Error | null) => void;
  const forgiving =
    (done: Done): Done =>
    (error) =>
      done(['EPIPE', 'ECONNRESET'].includes(firstCodeOf(error)) ? null : error);
  const write = socket._write.bind(socket);
  const writev = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, forgiving(done));
  if (writev) socket._writev = (chunks, done) => writev(chunks, forgiving(done));
}
