/** Bodies of requests, of which all together take a bounded part of the memory. */
import { spool, type GrowingFile } from '../files/growing-file.js';
import type { StreamedBody } from '../http/types.js';

/** What all bodies together may take, and one; the others go to files. */
const [roomBytes, oneBytes] = [8 * 1024 * 1024, 1024 * 1024];

/** A request's body, until its answer has ended. */
export interface HeldBody {
  /** To be sent. A text is read of it where its price must be known. */
  readonly payload: Buffer | StreamedBody;
  /** All of it. */
  readonly text: () => string;
  /** Frees what it takes. Harmless after the first time. */
  readonly close: () => Promise<void>;
}

/** So many large bodies are received at once; the others wait in their connections. */
const maxWriting = 8;

export class BodyRoom {
  #freeBytes = roomBytes;
  #writing = 0;
  readonly #waiting: (() => void)[] = [];

  /** What is held: 0 when all is closed. */
  get takenBytes(): number {
    return roomBytes - this.#freeBytes;
  }

  /** Reads a body to its end. @throws LocalFileError, and what `pieces` throw */
  async hold(pieces: AsyncIterable<Uint8Array>): Promise<HeldBody> {
    const kept: Uint8Array[] = [];
    let length = 0;
    const free = () => {
      for (const { length: bytes } of kept.splice(0)) this.#freeBytes += bytes;
    };
    const rest = pieces[Symbol.asyncIterator]();
    try {
      for (let next = await rest.next(); !next.done; next = await rest.next()) {
        const piece = next.value;
        length += piece.length;
        if (length > oneBytes || piece.length > this.#freeBytes) {
          return inFile(await this.#spooled(following([...kept, piece], rest, free)));
        }
        this.#freeBytes -= piece.length;
        kept.push(piece);
      }
    } catch (error) {
      free();
      await rest.return?.();
      throw error;
    }
    const bytes = inOne(kept);
    return {
      payload: bytes,
      text: () => bytes.toString('utf8'),
      close: () => {
        free();
        return Promise.resolve();
      },
    };
  }

  /** In a file without a name, when it is its turn; the system removes it with the process. */
  async #spooled(pieces: AsyncIterable<Uint8Array>): Promise<GrowingFile> {
    if (this.#writing < maxWriting) this.#writing += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await spool(pieces, 'request');
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#writing -= 1;
    }
  }
}

async function* following(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  onFirst: () => void,
): AsyncGenerator<Uint8Array> {
  yield* first;
  onFirst();
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function inFile(file: GrowingFile): HeldBody {
  const text = () => file.text();
  const payload = {
    length: file.length,
    open: () => file.pieces(),
    // Read when it is asked for, and at once: large texts come one after the other.
    get segments() {
      return [text()];
    },
  };
  return { payload, text, close: () => file.close() };
}

/** Without a copy where there is only one. */
function inOne([first, ...others]: readonly Uint8Array[]): Buffer {
  if (first === undefined || others.length > 0)
    return Buffer.concat(first ? [first, ...others] : []);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}
