import { describe, expect, it } from 'vitest';
import { createRoute } from '../../src/http/attempt.js';
import type { HttpResponse } from '../../src/http/types.js';
import {
  answering,
  gate,
  getting,
  onHead,
  patient,
  peer,
  rejection,
  textOf,
  stableCount,
} from './rig.js';

const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

describe('a body that is not whole', () => {
  const cuts = [
    [
      'it is shorter than its length',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf',
      'fin',
      'truncated',
    ],
    ['its chunks have no end', `${chunkedHead}4\r\nhalf\r\n`, 'fin', 'truncated'],
    ['a chunk is garbled', `${chunkedHead}4\r\nhalf\r\nzz\r\n`, 'fin', 'truncated'],
    ['the line is reset', `${chunkedHead}4\r\nhalf\r\n`, 'reset', 'reset'],
    [
      'the line is reset where only its end tells the end',
      'HTTP/1.1 200 OK\r\n\r\nhalf',
      'reset',
      'reset',
    ],
  ] as const;
  for (const [when, answer, end, reason] of cuts) {
    it(`is reported as ${reason} when ${when}, after the bytes that arrived`, async () => {
      const { url } = await peer(answering(answer, end));
      const response = await createRoute()(getting(url));
      const pieces: string[] = [];
      const cut = await rejection(response.pipe((piece) => void pieces.push(piece.toString())));
      expect(cut).toMatchObject({ name: 'BodyCut', reason });
      expect(pieces.join('')).toBe('half');
    });
  }

  it('is reported when nothing more arrives for the idle time', async () => {
    const { url } = await peer(answering(`${chunkedHead}4\r\nhalf\r\n`, 'keep'));
    const response = await createRoute()(getting(url, { timeouts: { ...patient, idleMs: 800 } }));
    const startedAt = performance.now();
    expect(await rejection(textOf(response))).toMatchObject({ reason: 'idle-timeout' });
    // At the limit, not a while after it.
    expect(performance.now() - startedAt).toBeLessThan(960);
  });
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
    const { url, sockets } = await peer((socket) => {
      onHead(socket, () => {
        socket.write(`${chunkedHead}1;`);
        const more = () => {
          while (
            !socket.destroyed &&
            socket.write(kind === 'one' ? extension : `${extension}\r\na\r\n1;`)
          );
        };
        socket.on('drain', more);
        more();
      });
    });
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
      const { url } = await peer(
        answering(`HTTP/1.1 200 OK\r\ncontent-length: ${4 + end.length}\r\n\r\nlast`),
      );
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
    const { response, hungUp } = await endless();
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
    const { response, hungUp } = await endless();
    response.discard();
    response.discard();
    await hungUp;
  });
});

async function endless(): Promise<{ response: HttpResponse; hungUp: Promise<void> }> {
  const hungUp = gate();
  const { url } = await peer((socket) => {
    answering(`${chunkedHead}4\r\nmore\r\n`, 'keep')(socket);
    socket.on('end', hungUp.open).on('close', hungUp.open);
  });
  return { response: await createRoute()(getting(url)), hungUp: hungUp.opened };
}
