import { describe, expect, it } from 'vitest';
import { createRoute } from '../../src/http/attempt.js';
import type { HttpRequest, StreamedBody } from '../../src/http/types.js';
import { gate, onHead, patient, peer, posting } from './rig.js';
import { rejection, stableCount, textOf, whole } from './rig.js';

const big = 24 * 1024 * 1024;

describe('a request with a body', () => {
  it.each<[string, HttpRequest['body'], number]>([
    ['text', 'héllo 🌍', 11],
    ['bytes', Buffer.from([0, 255, 13, 10]), 4],
    ['long bytes', Buffer.alloc(300_000, 7), 300_000],
    ['a stream', streamed(['ab', 'cde', '']), 5],
  ])('sends %s whole, with its length', async (_, body, length) => {
    const { url, received } = await collector(length);
    await textOf(await createRoute()(posting(url, body)));
    const { head, bytes } = received();
    expect(head.toLowerCase()).toContain(`content-length: ${length}`);
    expect(head.toLowerCase()).not.toContain('transfer-encoding');
    expect(bytes.length).toBe(length);
    if (typeof body === 'string') expect(bytes.toString()).toBe(body);
  });

  it('asks a stream for a piece only when the one before has left', async () => {
    const { url, sockets } = await peer((socket) => socket.pause());
    let asked = 0;
    const body = zeros(() => void (asked += 1));
    const abort = new AbortController();
    const attempt = createRoute()(posting(url, body, { signal: abort.signal }));
    await stableCount(() => asked);
    expect(asked).toBeGreaterThan(0);
    expect(asked * 65_536).toBeLessThan(big / 2);
    abort.abort();
    expect(await rejection(attempt)).toMatchObject({ reason: 'aborted' });
    expect(sockets).toHaveLength(1);
  });

  it('does not wait longer than the idle time for a service that stops reading', async () => {
    const { url } = await peer((socket) => socket.pause());
    const timeouts = { ...patient, idleMs: 60 };
    const failure = await rejection(createRoute()(posting(url, Buffer.alloc(big), { timeouts })));
    expect(failure).toMatchObject({ reason: 'first-byte-timeout', sent: true });
  });
});

describe('a body that fails us', () => {
  it('is reported with its cause', async () => {
    const { url } = await peer((socket) => socket.resume());
    const cause = new Error('disk on fire');
    const body = zeros((at) => (at === 0 ? undefined : Promise.reject(cause)));
    const failure = await rejection(createRoute()(posting(url, body)));
    expect(failure).toMatchObject({ name: 'AttemptFailed', reason: 'body', cause });
  });

  it.each([
    ['shrinks', ['abc']],
    ['grows', ['abcdefgh', 'ijkl']],
  ])('is reported when it %s while it is read', async (_, pieces) => {
    const { url } = await peer((socket) => socket.resume());
    const body = { ...streamed(pieces), length: 10 };
    const failure = await rejection(createRoute()(posting(url, body)));
    expect(failure).toMatchObject({ reason: 'body' });
    expect(String(failure)).toContain('changed its length');
  });
});

describe('an answer that comes before the body is sent', () => {
  it.each([
    ['413 Payload Too Large', 'hangs up'],
    ['401 Unauthorized', 'goes on reading'],
  ])('is read when it is a %s and the service %s', async (status, what) => {
    // Whether the write or the answer is noticed first is chance: look at many.
    for (let round = 0; round < 8; round += 1) {
      let isClosed = false;
      const { url } = await peer((socket) => {
        socket.once('data', () => {
          socket.write(whole('{"code":"too_soon"}', status), () => {
            if (what === 'hangs up') socket.destroy();
            else socket.resume();
          });
        });
      });
      const body = zeros(undefined, () => (isClosed = true));
      const response = await createRoute()(posting(url, body));
      expect(response.status).toBe(Number(status.slice(0, 3)));
      expect(await textOf(response)).toBe('{"code":"too_soon"}');
      await Promise.resolve();
      expect(isClosed).toBe(true);
    }
  });

  it('is read even when the next write comes first and finds the connection broken', async () => {
    const hungUp = gate();
    const { url } = await peer((socket) => {
      socket.once('data', () => {
        socket.write(whole('too much', '413 Payload Too Large'));
        socket.destroy();
        // The following runs before anything can be read: the pieces go into a broken connection.
        hungUp.open();
      });
    });
    const body = zeros((at) => (at === 0 ? undefined : hungUp.opened));
    const response = await createRoute()(posting(url, body));
    expect(response.status).toBe(413);
    expect(await textOf(response)).toBe('too much');
  });
});

/** A long body; `before` is called before each piece, `closed` when no more of it is wanted. */
function zeros(
  before?: (at: number) => void | Promise<void>,
  closed?: () => unknown,
): StreamedBody {
  return {
    length: big,
    open: async function* () {
      try {
        for (let at = 0; at < big; at += 65_536) {
          await before?.(at);
          yield Buffer.alloc(65_536);
        }
      } finally {
        closed?.();
      }
    },
  };
}

function streamed(pieces: readonly string[]): StreamedBody {
  return {
    length: Buffer.byteLength(pieces.join('')),
    open: async function* () {
      await Promise.resolve();
      for (const piece of pieces) yield Buffer.from(piece);
    },
  };
}

/** Answers when a request of `length` bytes has arrived. */
async function collector(length: number) {
  let head = '';
  const pieces: Buffer[] = [];
  const body = () => Buffer.concat(pieces).subarray(head.length + 4);
  const { url } = await peer((socket) => {
    onHead(socket, (text) => (head ||= text));
    socket.on('data', (chunk: Buffer) => {
      pieces.push(chunk);
      if (head && body().length === length) socket.end(whole('ok'));
    });
  });
  return { url, received: () => ({ head, bytes: body() }) };
}
