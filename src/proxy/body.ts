/** Bodies of requests, of which all together take a bounded part of the memory. */
import { randomBytes } from 'node:crypto';
import { readSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTrouble } from '../files/file-trouble.js';
import type { StreamedBody } from '../http/types.js';

/** What all bodies together may take, and one; the others go to files. */
const [roomBytes, oneBytes] = [8 * 1024 * 1024, 1024 * 1024];
const pieceBytes = 32 * 1024;

/** A request's body, until its answer has ended. */
export interface HeldBody {
  readonly length: number;
  /** To be sent. A text is read of it where its price must be known. */
  readonly payload: Buffer | StreamedBody;
  readonly isInMemory: boolean;
  /** From its beginning, as often as it is called; the memory of a piece is used again. */
  readonly open: () => AsyncIterable<Uint8Array>;
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
  async hold(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<HeldBody> {
    const kept: Uint8Array[] = [];
    let length = 0;
    let file: FileHandle | undefined;
    const free = () => {
      for (const { length: bytes } of kept.splice(0)) this.#freeBytes += bytes;
    };
    try {
      for await (const piece of pieces) {
        length += piece.length;
        if (!file && length <= oneBytes && piece.length <= this.#freeBytes) {
          this.#freeBytes -= piece.length;
          kept.push(piece);
        } else {
          const before = file ? [] : [...kept];
          file ??= await this.#fileInTurn();
          for (const one of [...before, piece]) await written(file, one);
          if (before.length > 0) free();
        }
      }
    } catch (error) {
      free();
      if (file) this.#endTurn();
      await file?.close();
      throw error;
    }
    if (file) {
      this.#endTurn();
      return inFile(file, length);
    }
    const bytes = inOne(kept);
    return {
      length,
      payload: bytes,
      isInMemory: true,
      open: () => oneOf(bytes),
      text: () => bytes.toString('utf8'),
      close: () => {
        free();
        return Promise.resolve();
      },
    };
  }

  /** A file, when it is its turn: until `#endTurn`. */
  async #fileInTurn(): Promise<FileHandle> {
    if (this.#writing < maxWriting) this.#writing += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await namelessFile();
    } catch (error) {
      this.#endTurn();
      throw error;
    }
  }

  #endTurn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#writing -= 1;
  }
}

function inFile(file: FileHandle, length: number): HeldBody {
  const text = () => {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0, more = 1; at < length && more > 0; at += more) {
      more = readSync(file.fd, bytes, at, length - at, at);
    }
    return bytes.toString('utf8');
  };
  const open = () => piecesOf(file, length);
  const payload = {
    length,
    open,
    // Read when it is asked for, and at once: large texts come one after the other.
    get segments() {
      return [text()];
    },
  };
  return { length, payload, isInMemory: false, open, text, close: () => file.close() };
}

/** Without a copy where there is only one. */
function inOne([first, ...others]: readonly Uint8Array[]): Buffer {
  if (first === undefined || others.length > 0)
    return Buffer.concat(first ? [first, ...others] : []);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

export async function* oneOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(bytes);
}

/** Nobody can open it, and it ends with the process however that ends. */
async function namelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `svc-${randomBytes(12).toString('hex')}`);
  try {
    const file = await open(path, 'wx+', 0o600);
    await rm(path);
    return file;
  } catch (error) {
    throw cannotKeep(error);
  }
}

async function written(file: FileHandle, piece: Uint8Array): Promise<void> {
  try {
    await file.writeFile(piece);
  } catch (error) {
    throw cannotKeep(error);
  }
}

function cannotKeep(error: unknown): unknown {
  const hint = 'free some space, or name another folder in TMPDIR; nothing was sent';
  return fileTrouble(error, `cannot keep a large request in ${tmpdir()}`, hint);
}

async function* piecesOf(file: FileHandle, length: number): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(pieceBytes);
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(memory, 0, pieceBytes, at);
    if (bytesRead === 0) return;
    yield memory.subarray(0, bytesRead);
    at += bytesRead;
  }
}
