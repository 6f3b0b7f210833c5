import { describe, expect, it } from 'vitest';
import { createRoute } from '../../src/http/attempt.js';
import type { HttpResponse } from '../../src/http/types.js';
import { content } from './download/host.js';
import { answering, closed, getting, onHead, peer } from './rig.js';

const body = content(3_000_000);
const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;
const answer = Buffer.concat([Buffer.from(head(body.length)), body]);

function ask(url: URL): Promise<HttpResponse> {
  return createRoute()(getting(url, { isBulk: true }));
}

/** Memory that is filled from its start on, as a writer of files gives it. */
class Vessel {
  readonly #memory = Buffer.alloc(body.length + 100_000);
  #filled = 0;
  /** Bytes that did not have to be copied. */
  inPlace = 0;

  readonly next = (): Buffer => this.#memory.subarray(this.#filled);

  readonly take = (piece: Buffer): void => {
    const { buffer, byteOffset } = this.next();
    if (piece.buffer === buffer && piece.byteOffset === byteOffset) this.inPlace += piece.length;
    else piece.copy(this.#memory, this.#filled);
    this.#filled += piece.length;
  };

  get taken(): Buffer {
    return this.#memory.subarray(0, this.#filled);
  }
}

describe('a large body', () => {
  it('arrives in the given memory, except for what came with the head', async () => {
    const { url } = await peer(answering(answer));
    const vessel = new Vessel();
    await (await ask(url)).pipe(vessel.take, vessel.next);
    expect(vessel.taken.equals(body)).toBe(true);
    expect(vessel.inPlace).toBeGreaterThan(body.length - 3 * 65_536);
  });

  it.each([1, 3, 60, 200])('comes whole when it arrives %i bytes at a time', async (bytes) => {
    const small = Buffer.concat([Buffer.from(head(500)), body.subarray(0, 500)]);
    const { url } = await peer((socket) => {
      onHead(socket, () => {
        const writeFrom = (at: number) => {
          if (at >= small.length) return;
          socket.write(small.subarray(at, at + bytes));
          setImmediate(() => writeFrom(at + bytes));
        };
        writeFrom(0);
      });
    });
    const vessel = new Vessel();
    await (await ask(url)).pipe(vessel.take, vessel.next);
    expect(vessel.taken.equals(body.subarray(0, 500))).toBe(true);
  });

  it('ends where its length says, whatever follows, and so does its connection', async () => {
    const { url, sockets } = await peer(answering(Buffer.concat([answer, body]), 'keep'));
    const vessel = new Vessel();
    await (await ask(url)).pipe(vessel.take, vessel.next);
    expect(vessel.taken.equals(body)).toBe(true);
    await closed(sockets[0]);
    expect(sockets).toHaveLength(1);
  });
});
