/** The folder beside the store's file, for data that is too large for a row. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../lib/error-code.js';
import { replaceFile } from '../lib/replace-file.js';
import type { RandomId } from './ids.js';

type Shelf = 'files' | 'results' | 'attachments';

export interface StoredFile {
  readonly byteLength: number;
  readonly sha256: string;
}

/** A file unchanged for so long may be left from a process that died. */
const abandonedMs = 60 * 60 * 1000;

/** Files on shelves, by name. Errors of node:fs pass unchanged. */
export class Folder {
  #root: string | undefined;
  readonly #swept = new Set<Shelf>();

  /** @param storePath the store's file; with `:memory:` the folder lasts as long as this */
  constructor(
    private readonly storePath: string,
    private readonly newId: RandomId,
  ) {}

  pathOf(shelf: Shelf, name: string): string {
    const { storePath } = this;
    this.#root ??=
      storePath === ':memory:'
        ? mkdtempSync(join(tmpdir(), 'svc-media-'))
        : join(dirname(storePath), `${basename(storePath, '.sqlite')}-media`);
    return join(this.#root, shelf, name);
  }

  /** Writes a file that gets its name only when complete. */
  async write(
    shelf: Shelf,
    name: string,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<StoredFile> {
    const path = this.pathOf(shelf, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const part = `${path}.${this.newId()}.part`;
    const handle = await open(part, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      let byteLength = 0;
      for await (const piece of pieces) {
        hash.update(piece);
        byteLength += piece.byteLength;
        await handle.writeFile(piece);
      }
      await this.#sweep(shelf, (await handle.stat()).mtimeMs);
      await handle.close();
      await replaceFile(part, path);
      return { byteLength, sha256: hash.digest('hex') };
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(part, { force: true });
      throw error;
    }
  }

  async open(shelf: Shelf, name: string): Promise<FileHandle | undefined> {
    try {
      return await open(this.pathOf(shelf, name), 'r');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(shelf: Shelf, name: string): Promise<void> {
    await rm(this.pathOf(shelf, name), { force: true });
  }

  close(): void {
    const isTemporary = this.storePath === ':memory:';
    if (isTemporary && this.#root) rmSync(this.#root, { recursive: true, force: true });
  }

  /** Runs once: removes the remains of processes that died while writing. */
  async #sweep(shelf: Shelf, nowMs: number): Promise<void> {
    if (this.#swept.has(shelf)) return;
    this.#swept.add(shelf);
    for (const name of await readdir(dirname(this.pathOf(shelf, 'any')))) {
      const path = this.pathOf(shelf, name);
      const stats = name.endsWith('.part') && (await stat(path).catch(() => undefined));
      if (stats && nowMs - stats.mtimeMs > abandonedMs) await rm(path, { force: true });
    }
  }
}
