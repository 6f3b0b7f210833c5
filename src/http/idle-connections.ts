/** Connections that have brought one answer and may bring another. */
import type { Socket } from 'node:net';

/** Servers close idle connections after five seconds or more: svc is done with them before. */
const restMs = 4000;
const maxPerOrigin = 8;

/** Any of these ends a rest: bytes that nobody asked for belong to no answer. */
const endings = ['data', 'end', 'close', 'error', 'timeout'] as const;

/** Idle connections by origin. None of them keeps the process alive. */
export class IdleConnections {
  readonly #byOrigin = new Map<string, Map<Socket, () => void>>();

  put(origin: string, socket: Socket): void {
    const resting = this.#byOrigin.get(origin) ?? new Map<Socket, () => void>();
    this.#byOrigin.set(origin, resting);
    if (socket.destroyed || !socket.writable || resting.size >= maxPerOrigin) {
      socket.destroy();
      return;
    }
    const wake = () => {
      resting.delete(socket);
      for (const event of endings) socket.off(event, end);
      socket.setTimeout(0);
    };
    const end = () => {
      wake();
      // The error that may follow is nobody's any more.
      socket.on('error', () => undefined).destroy();
    };
    for (const event of endings) socket.on(event, end);
    socket.setTimeout(restMs);
    socket.unref();
    resting.set(socket, wake);
  }

  /** The connection that has rested the shortest, ready for use. */
  take(origin: string): Socket | undefined {
    const latest = [...(this.#byOrigin.get(origin) ?? [])].at(-1);
    if (!latest) return undefined;
    const [socket, wake] = latest;
    wake();
    socket.ref();
    return socket;
  }
}
