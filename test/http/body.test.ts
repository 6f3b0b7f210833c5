import { describe, expect, it } from 'vitest';
import { createRoute } from '../../src/http/attempt.js';
import type { HttpRequest, HttpResponse } from '../../src/http/types.js';
import { answering, closed, gate, getting, onHead, patient, peer, posting } from './rig.js';
import { endless, rejection, stableCount, textOf } from './rig.js';
import { pooled } from './transports.js';

const head = (header = 'x: y') => `HTTP/1.1 200 OK\r\n${header}\r\n\r\n`;
const chunkedHead = head('transfer-encoding: chunked');

/** The ways in which a body comes: a pool resolves at its end, and a bulk body fills memory. */
const ways: [string, (url: URL, more?: Partial<HttpRequest>) => Promise<HttpResponse>][] = [
  ['a single attempt', (url, more) => createRoute()(getting(url, more))],
  ['a bulk connection', (url, more) => createRoute()(getting(url, { isBulk: true, ...more }))],
  ['a pool', async (url, more) => (await pooled(url))(posting(url, '{}', more))],
];

describe.each(ways)('%s: a body that is not whole', (way, ask) => {
  const memory = Buffer.alloc(1000);
  /** What arrived, and the failure. */
  const cutOf = async (url: URL, more?: Partial<HttpRequest>) => {
    let text = '';
    const read = ask(url, more).then((response) =>
      response.pipe(
        (piece) => void (text += piece.toString()),
        () => memory,
      ),
    );
    return { failure: await rejection(read), text };
  };

  it.each([
    ['it is shorter than its length', `${head('content-length: 9')}half`, 'fin', 'truncated'],
    ['its chunks have no end', `${chunkedHead}4\r\nhalf\r\n`, 'fin', 'truncated'],
    ['a chunk is garbled', `${chunkedHead}4\r\nhalf\r\nzz\r\n`, 'fin', 'truncated'],
    ['the line is reset', `${head('content-length: 9')}half`, 'reset', 'reset'],
    ['the line is reset in a chunk', `${chunkedHead}4\r\nhalf\r\n`, 'reset', 'reset'],
    // undici takes the reset for the end: what reads the answer finds that its JSON is not whole.
    ...(way === 'a pool'
      ? []
      : ([['the line is reset, which is its end', `${head()}half`, 'reset', 'reset']] as const)),
  ] as const)(
    'is reported when %s, after the bytes that arrived',
    async (_, answer, end, reason) => {
      const { url } = await peer(answering(answer, end));
      const { failure, text } = await cutOf(url);
      // undici does not tell a reset from an early end.
      const expected = way === 'a pool' ? 'truncated' : reason;
      expect(failure).toMatchObject({ name: 'BodyCut', sent: true, reason: expected });
      if (way !== 'a pool') expect(text).toBe('half');
    },
  );

  it('is given up when nothing more arrives for the idle time, and hangs up', async () => {
    const { url, sockets } = await peer(answering(`${head('content-length: 9')}half`, 'keep'));
    const { failure } = await cutOf(url, { timeouts: { ...patient, idleMs: 60 } });
    expect(failure).toMatchObject({ name: 'BodyCut', reason: 'idle-timeout' });
    await closed(sockets[0]);
  });
});

it('the idle time of a body ends at its limit, not a while after it', async () => {
  const { url } = await peer(answering(`${chunkedHead}4\r\nhalf\r\n`, 'keep'));
  const response = await createRoute()(getting(url, { timeouts: { ...patient, idleMs: 800 } }));
  const startedAt = performance.now();
  expect(await rejection(textOf(response))).toMatchObject({ reason: 'idle-timeout' });
  expect(performance.now() - startedAt).toBeLessThan(960);
});

describe('a whole body', () => {
  it('does not count the time in which its reader is busy as idle', async () => {
    const { url } = await peer((socket) => {
      onHead(socket, () => {
        socket.write(`${chunkedHead}1\r\na\r\n`);
        setTimeout(() => socket.end('1\r\nb\r\n0\r\n\r\n'), 10);
      });
    });
    const response = await createRoute()(getting(url, { timeouts: { ...patient, idleMs: 40 } }));
    let text = '';
    await response.pipe((piece) => {
      text += piece.toString();
      return new Promise((resolve) => setTimeout(resolve, 150));
    });
    expect(text).toBe('ab');
  });

  it.each(['many', 'one'])('with endless chunk extensions is aborted: %s', async (kind) => {
    const extension = 'x'.repeat(16_000);
    const piece = kind === 'one' ? extension : `${extension}\r\na\r\n1;`;
    const { url, sockets } = await peer(endless(`${chunkedHead}1;`, piece));
    const response = await createRoute()(getting(url));
    await expect(textOf(response)).rejects.toMatchObject({
      reason: 'truncated',
      message: expect.stringContaining(
        kind === 'one' ? 'the answer is malformed' : 'it has more than 4 MiB of chunk extensions',
      ),
    });
    expect(sockets[0]?.bytesWritten).toBeLessThan(16_000_000);
  });

  it('waits for a slow reader instead of filling the memory', async () => {
    const size = 32 * 1024 * 1024;
    const { url, sockets } = await peer((socket) => {
      onHead(socket, () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
        const piece = Buffer.alloc(256 * 1024);
        let sent = 0;
        const more = () => {
          while (sent < size && socket.write(piece)) sent += piece.length;
          if (sent >= size) socket.end();
        };
        socket.on('drain', () => {
          sent += piece.length;
          more();
        });
        more();
      });
    });
    const response = await createRoute()(getting(url));
    const reader = gate();
    let received = 0;
    const piped = response.pipe((piece) => {
      received += piece.length;
      if (received > piece.length) return undefined;
      return reader.opened;
    });
    const held = await stableCount(() => sockets[0]?.bytesWritten ?? 0);
    expect(held).toBeLessThan(size / 2);
    reader.open();
    await piped;
    expect(received).toBe(size);
  });

  it('ends, whole or cut, only when the reader is done with its last piece', async () => {
    for (const end of ['', 'x']) {
      const { url } = await peer(answering(`${head(`content-length: ${4 + end.length}`)}last`));
      const response = await createRoute()(getting(url));
      let isDone = false;
      const piped = response.pipe(async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        isDone = true;
      });
      await piped.catch(() => undefined);
      expect(isDone).toBe(true);
    }
  });
});

describe('a body that is aborted', () => {
  it('rejects with what its reader threw, and hangs up', async () => {
    const { response, hungUp } = await unread();
    const boom = new Error('boom');
    expect(
      await rejection(
        response.pipe(() => {
          throw boom;
        }),
      ),
    ).toBe(boom);
    await hungUp;
  });

  it('frees the connection when it is discarded unread', async () => {
    const { response, hungUp } = await unread();
    response.discard();
    response.discard();
    await hungUp;
  });
});

async function unread(): Promise<{ response: HttpResponse; hungUp: Promise<void> }> {
  const hungUp = gate();
  const { url } = await peer((socket) => {
    answering(`${chunkedHead}4\r\nmore\r\n`, 'keep')(socket);
    socket.on('end', hungUp.open).on('close', hungUp.open);
  });
  return { response: await createRoute()(getting(url)), hungUp: hungUp.opened };
}
