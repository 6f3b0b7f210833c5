/** Data kept on disk until it is used, because it may be too large for memory. */
import { EventEmitter, once } from 'node:events';
import { readSync } from 'node:fs';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failing } from './file-trouble.js';
import type { OpenFile } from './named-file.js';

const pieceBytes = 32 * 1024;

export class GrowingFile implements OpenFile {
  length = 0;
  #end: { readonly error?: unknown } | undefined;
  readonly #news = new EventEmitter();

  private constructor(
    private readonly place: string,
    private readonly handle: FileHandle,
  ) {}

  static async create(path: string): Promise<GrowingFile> {
    const handle = await open(path, 'wx+', 0o600).catch(failing(`cannot write ${path}`));
    return new GrowingFile(path, handle);
  }

  async append(bytes: Uint8Array): Promise<void> {
    const fail = failing(`cannot write ${this.place}`, 'free some space, or set TMPDIR');
    await this.handle.writeFile(bytes).catch(fail);
    this.length += bytes.length;
    this.#news.emit('more');
  }

  /** With an error, something is missing. */
  finish(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#news.emit('more');
  }

  /** Waits for bytes that are still to arrive. @throws what `finish` was given, after all bytes. */
  async read(at: number, maxLength: number): Promise<Buffer> {
    while (at >= this.length && !this.#end) await once(this.#news, 'more');
    const length = Math.min(maxLength, this.length - at);
    if (length <= 0 && this.#end && 'error' in this.#end) throw this.#end.error;
    if (length <= 0) return Buffer.alloc(0);
    const { bytesRead, buffer } = await this.handle.read(Buffer.allocUnsafe(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  }

  /** All of it, from its beginning; the memory of a piece is used again. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const memory = Buffer.allocUnsafe(pieceBytes);
    for (let at = 0; at < this.length;) {
      const { bytesRead } = await this.handle.read(memory, 0, pieceBytes, at);
      if (bytesRead === 0) return;
      yield memory.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** All of it, at once. */
  text(): string {
    const bytes = Buffer.allocUnsafe(this.length);
    for (let at = 0, more = 1; at < bytes.length && more > 0; at += more) {
      more = readSync(this.handle.fd, bytes, at, bytes.length - at, at);
    }
    return bytes.toString('utf8');
  }

  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined);
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.place, { force: true });
  }
}

export function temporaryFolder(what: string): Promise<string> {
  const failed = `cannot store the ${what} in ${tmpdir()}`;
  const fail = failing(failed, 'set TMPDIR to another folder');
  return mkdtemp(join(tmpdir(), `svc-${what}-`)).catch(fail);
}

/** Writes the pieces, up to the first beyond `maxBytes`, to an unlinked file. */
export async function spool(
  pieces: AsyncIterable<Uint8Array>,
  what: string,
  maxBytes = Infinity,
): Promise<GrowingFile> {
  const folder = await temporaryFolder(what);
  const remove = () => rm(folder, { recursive: true, force: true }).catch(() => undefined);
  const file = await GrowingFile.create(join(folder, what)).finally(remove);
  try {
    for await (const piece of pieces) {
      await file.append(piece);
      if (file.length > maxBytes) break;
    }
    file.finish();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
