/** Opens a connection to a service: TCP, a tunnel when a proxy stands between, TLS for https. */
import net, { type OnReadOpts, type Socket } from 'node:net';
import { durationWords } from '../lib/duration.js';
import { connectFailure, firstCodeOf, proxyFailure } from './failure.js';
import { limit } from './deadline.js';
import { openTunnel } from './proxy.js';
import { AttemptFailed } from './types.js';

export interface Connecting {
  /** All of it; 0 is no limit. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** An http or https URL. For an http service it ends at the proxy. */
  readonly proxy?: URL;
  /** Where what arrives is put, in place of 'data' events. Not with a proxy. */
  readonly onread?: OnReadOpts;
}

/**
 * A socket on which HTTP can be spoken with the service, or for it with its proxy.
 * @throws AttemptFailed, never with anything sent.
 */
export function connect(url: URL, connecting: Connecting): Promise<Socket> {
  const { timeoutMs, signal } = connecting;
  return new Promise((resolve, reject) => {
    let opened: Socket | undefined;
    let isOver = false;
    const hold: Hold = (socket) => {
      opened = socket;
      // An error may still come from a socket that has been given up.
      socket.on('error', () => undefined);
      if (isOver) socket.destroy();
      return socket;
    };
    const settle = () => {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (failure: unknown) => {
      settle();
      isOver = true;
      opened?.destroy();
      reject(failure instanceof AttemptFailed ? failure : connectFailure(url, failure));
    };
    const onAbort = () => {
      fail(new AttemptFailed('aborted', false, 'aborted', signal?.reason));
    };
    const stopTimer = limit(timeoutMs, () => {
      const words = `${url.host}: no connection within ${durationWords(timeoutMs)}`;
      fail(new AttemptFailed('connect-timeout', false, words));
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    reach(url, connecting, hold).then((connection) => {
      settle();
      readOnAfterHangup(connection);
      resolve(connection);
    }, fail);
    if (signal?.aborted) onAbort();
  });
}

/** Keeps a socket at hand while it is not known whether it will stand. */
type Hold = (socket: Socket) => Socket;

async function reach(url: URL, { proxy, onread }: Connecting, hold: Hold): Promise<Socket> {
  if (onread && url.protocol === 'https:') {
    return tlsInto(await (loaded ??= loadTls()), url, onread, hold);
  }
  const needsTls = url.protocol === 'https:' || proxy?.protocol === 'https:';
  const tcp = hold(net.connect({ ...tcpOptions(proxy ?? url), onread }));
  const standing = once(tcp, 'connect');
  // Loaded here, for it costs; and while TCP connects, for reading the root certificates takes as
  // long as a round trip.
  const tls = needsTls ? (loaded ??= loadTls()) : undefined;
  if (!proxy) {
    await standing;
    return tls ? overTls(await tls, tcp, url) : tcp;
  }
  const toProxy = await standing
    .then(async () => (tls && proxy.protocol === 'https:' ? overTls(await tls, tcp, proxy) : tcp))
    .catch((error: unknown) => {
      throw proxyFailure(proxy, error);
    });
  if (!tls || url.protocol !== 'https:') return toProxy;
  return overTls(await tls, await openTunnel(toProxy, url, proxy), url);
}

function tcpOptions(url: URL) {
  return {
    host: hostOf(url),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    noDelay: true,
    // Node gives up an address of several after 250 ms and does not come back to it: too soon for
    // a distant host on a slow connection.
    autoSelectFamilyAttemptTimeout: 1500,
  };
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

type Tls = Awaited<ReturnType<typeof loadTls>>;
let loaded: Promise<Tls> | undefined;

async function loadTls() {
  const tls = await import('node:tls');
  return { connect: tls.connect, secureContext: tls.createSecureContext() };
}

async function overTls({ connect, secureContext }: Tls, socket: Socket, url: URL): Promise<Socket> {
  const secure = connect({ socket, secureContext, ...tlsOptions(url) });
  await once(secure, 'secureConnect');
  return secure;
}

/** TLS that makes its own TCP connection: over one that stands, Node does not read into `onread`. */
async function tlsInto(tls: Tls, url: URL, onread: OnReadOpts, hold: Hold): Promise<Socket> {
  const { secureContext } = tls;
  const options = { ...tcpOptions(url), ...tlsOptions(url), secureContext, onread };
  const secure = hold(tls.connect(options));
  await once(secure, 'secureConnect');
  return secure;
}

function tlsOptions(url: URL) {
  const host = hostOf(url);
  return {
    host,
    // An address is no server name (RFC 6066): it is only compared with the certificate.
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
  };
}

function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      socket.off(event, onEvent).off('error', onError).off('close', onClose);
    };
    const onEvent = () => {
      settle();
      resolve();
    };
    const onError = (error: Error) => {
      settle();
      // What comes after the first error is of no interest, but must be heard.
      socket.on('error', () => undefined);
      reject(error);
    };
    const onClose = () => {
      onError(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    };
    socket.on(event, onEvent).on('error', onError).on('close', onClose);
  });
}

/**
 * A service that refuses a long body answers and hangs up while it is still being written. The
 * failing write would close the socket and lose the answer that has already arrived: here a write
 * into a hung-up connection counts as done, and reading shows what there is, the answer or the end.
 */
function readOnAfterHangup(socket: Socket): void {
  type Done = (error?: Error | null) => void;
  const forgiving =
    (done: Done): Done =>
    (error) => {
      done(['EPIPE', 'ECONNRESET'].includes(firstCodeOf(error)) ? null : error);
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => {
    write(chunk, encoding, forgiving(done));
  };
  const writev = socket._writev?.bind(socket);
  if (writev) {
    socket._writev = (chunks, done) => {
      writev(chunks, forgiving(done));
    };
  }
}
