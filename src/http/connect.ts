/** Opens a connection: TCP, and TLS over it for https. */
import net, { type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { connectFailure } from './failure.js';
import { readOnAfterHangup } from './hangup.js';
import { inWords, limit } from './timeouts.js';
import { AttemptFailed } from './types.js';

export interface Connecting {
  /** TLS included; 0 is no limit. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * A socket on which HTTP can be spoken.
 * @throws AttemptFailed, never with anything sent.
 */
export function connect(url: URL, { timeoutMs, signal }: Connecting): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const tcp = openTcp(url);
    let isOver = false;
    const finish = () => {
      isOver = true;
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (failure: AttemptFailed) => {
      // An error may still come from a socket that was given up: the listener stays.
      tcp.destroy();
      if (isOver) return;
      finish();
      reject(failure);
    };
    const stand = (socket: Socket) => {
      finish();
      tcp.off('error', onError);
      readOnAfterHangup(socket);
      resolve(socket);
    };
    const onError = (error: Error) => {
      fail(connectFailure(url, error));
    };
    const onAbort = () => {
      fail(new AttemptFailed('aborted', false, 'aborted', signal?.reason));
    };
    const stopTimer = limit(timeoutMs, () => {
      const words = `${url.host}: no connection within ${inWords(timeoutMs)}`;
      fail(new AttemptFailed('connect-timeout', false, words));
    });
    tcp.on('error', onError);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    else if (url.protocol === 'https:') overTls(tcp, url).then(stand, onError);
    else tcp.once('connect', () => stand(tcp));
  });
}

function openTcp(url: URL): Socket {
  return net.connect({
    host: hostOf(url),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    noDelay: true,
    // Node gives up an address of several after 250 ms and does not come back to it: too soon for
    // a distant host on a slow line.
    autoSelectFamilyAttemptTimeout: 1500,
  });
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

let sharedContext: SecureContext | undefined;

/** TLS over a TCP connection that may still be in the making. Rejects with the error of either. */
async function overTls(tcp: Socket, url: URL): Promise<Socket> {
  const standing = once(tcp, 'connect');
  // Loaded here, for it costs; and while TCP connects, for reading the root certificates takes
  // as long as a round trip.
  const tls = await import('node:tls');
  sharedContext ??= tls.createSecureContext();
  await standing;
  const host = hostOf(url);
  const secure = tls.connect({
    socket: tcp,
    secureContext: sharedContext,
    host,
    // An address is no server name (RFC 6066): it is only compared with the certificate.
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
  });
  await once(secure, 'secureConnect');
  return secure;
}

function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      socket.off('error', reject);
      socket.off('close', onClose);
      resolve();
    });
    const onClose = () => {
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    };
    socket.once('error', reject);
    socket.once('close', onClose);
  });
}
