/**
 * A file that is written row by row and can be gone on with: NAME.part until it is whole. What an
 * earlier run left is never dropped without being told to.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { LocalFileError } from '../errors.js';
import { codeOf, fileTrouble } from './file-trouble.js';
import { settleAs } from './settle.js';
import { checkTarget } from './target.js';

export interface RowsFileRules {
  /** A whole file of this name, and a part of an earlier run, may be replaced. */
  readonly replace: boolean;
  /** Go on with the part that an earlier run left, if there is one. */
  readonly resume: boolean;
}

export class RowsFile {
  /** Where the rows are until `finish`. */
  readonly partPath: string;
  #length: number;

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly rules: RowsFileRules,
    length: number,
  ) {
    this.partPath = `${path}.part`;
    this.#length = length;
  }

  /**
   * Opens the part file at once, so that a name that cannot be written is known before money is
   * spent. @throws LocalFileError when the file exists, cannot be made, or another part is there.
   */
  static async open(path: string, rules: RowsFileRules): Promise<RowsFile> {
    await checkTarget({ kind: 'file', path, replace: rules.replace });
    const handle = await opened(`${path}.part`, path, rules);
    const { size } = await handle.stat().catch(async (cause: unknown) => {
      await handle.close();
      throw fileTrouble(cause, `cannot write ${path}`);
    });
    return new RowsFile(path, handle, rules, size);
  }

  /** Bytes that it holds. */
  get length(): number {
    return this.#length;
  }

  /** Adds bytes at the end. @throws LocalFileError */
  async append(bytes: Uint8Array): Promise<void> {
    await this.#write(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes over what is there. @throws LocalFileError */
  overwrite(bytes: Uint8Array, position: number): Promise<void> {
    return this.#write(bytes, position);
  }

  /** Up to `maxLength` bytes from a position; fewer at the end. @throws LocalFileError */
  async read(position: number, maxLength: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(maxLength, this.#length - position)));
    return this.#guarded(async () => {
      const { bytesRead } = await this.handle.read(bytes, 0, bytes.length, position);
      return bytes.subarray(0, bytesRead);
    });
  }

  /** Drops what lies behind. @throws LocalFileError */
  async truncate(length: number): Promise<void> {
    await this.#guarded(() => this.handle.truncate(length));
    this.#length = length;
  }

  /** Gives the file its name. @throws LocalFileError; the part stays. */
  async finish(): Promise<void> {
    const { path, rules } = this;
    try {
      await this.handle.sync();
      await this.handle.close();
      await settleAs(this.partPath, { path, replace: rules.replace });
    } catch (cause) {
      await this.handle.close().catch(() => undefined);
      throw fileTrouble(cause, `cannot write ${path}`, `what was written is in ${this.partPath}`);
    }
  }

  /** Ends it unfinished: what was written stays in the part file; an empty one goes. */
  async abandon(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    if (this.#length === 0) await rm(this.partPath, { force: true }).catch(() => undefined);
  }

  /** The system may take a part only; where a disk fills up, the next write says so. */
  async #write(bytes: Uint8Array, position: number): Promise<void> {
    await this.#guarded(async () => {
      for (let at = 0; at < bytes.length;) {
        const left = bytes.length - at;
        const { bytesWritten } = await this.handle.write(bytes, at, left, position + at);
        at += bytesWritten;
      }
    });
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      throw fileTrouble(cause, `cannot write ${this.partPath}`, 'free some space, then go on');
    }
  }
}

async function opened(
  partPath: string,
  path: string,
  { replace, resume }: RowsFileRules,
): Promise<FileHandle> {
  try {
    if (resume) return await open(partPath, 'r+');
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw fileTrouble(cause, `cannot write ${partPath}`);
  }
  try {
    return await open(partPath, replace ? 'w+' : 'wx+');
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw leftOver(partPath);
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}

function leftOver(partPath: string): LocalFileError {
  return new LocalFileError(`${partPath} is there: what an earlier run left, or one under way`, {
    code: 'part_exists',
    hint: 'go on with it: --resume; or start over: --force',
  });
}
