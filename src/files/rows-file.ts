/**
 * A file that is written row by row and can be gone on with: NAME.part until it is whole. What an
 * earlier run left is never dropped without being told to.
 */
import { LocalFileError } from '../errors.js';
import { claimOnly, type Claim, type Obstacle } from './claim.js';
import { fileTrouble } from './file-trouble.js';
import { checkTarget, renameTo } from './target.js';

interface RowsFileRules {
  /** A whole file of this name, and a part of an earlier run, may be replaced. */
  readonly replace: boolean;
  /** Go on with the part that an earlier run left, if there is one. */
  readonly resume: boolean;
}

export class RowsFile {
  #length: number;

  private constructor(
    private readonly path: string,
    private readonly claim: Claim,
    private readonly rules: RowsFileRules,
    length: number,
  ) {
    this.#length = length;
  }

  /**
   * Opens the part file at once, so that a name that cannot be written is known before money is
   * spent. @throws LocalFileError when the file exists, cannot be made, or another part is there.
   */
  static async open(path: string, rules: RowsFileRules): Promise<RowsFile> {
    const { replace, resume } = rules;
    await checkTarget({ kind: 'file', path, replace });
    const claim = await claimOnly(path, (source) => !source && (resume || replace));
    if (typeof claim === 'string') throw inTheWay(`${path}.part`, claim);
    try {
      if (!resume) await claim.handle.truncate();
      return new RowsFile(path, claim, rules, (await claim.handle.stat()).size);
    } catch (cause) {
      await claim.leave();
      throw fileTrouble(cause, `cannot write ${path}`);
    }
  }

  /** Where the rows are until `finish`. */
  get partPath(): string {
    return this.claim.partPath;
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
      const { bytesRead } = await this.claim.handle.read(bytes, 0, bytes.length, position);
      return bytes.subarray(0, bytesRead);
    });
  }

  /** Drops what lies behind. @throws LocalFileError */
  async truncate(length: number): Promise<void> {
    await this.#guarded(() => this.claim.handle.truncate(length));
    this.#length = length;
  }

  /** Gives the file its name. @throws LocalFileError; the part stays. */
  async finish(): Promise<void> {
    const { path, rules } = this;
    try {
      await this.claim.handle.sync();
      await this.claim.handle.close();
      await renameTo(this.partPath, { path, replace: rules.replace });
      await this.claim.end();
    } catch (cause) {
      throw fileTrouble(cause, `cannot write ${path}`, `what was written is in ${this.partPath}`);
    }
  }

  /** Ends it unfinished: what was written stays in the part file; an empty one goes. */
  async abandon(): Promise<{ keptBytes: number }> {
    return { keptBytes: await this.claim.leave() };
  }

  /** The system may take a part only; where a disk fills up, the next write says so. */
  async #write(bytes: Uint8Array, position: number): Promise<void> {
    await this.#guarded(async () => {
      for (let at = 0; at < bytes.length;) {
        const left = bytes.length - at;
        const { bytesWritten } = await this.claim.handle.write(bytes, at, left, position + at);
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

function inTheWay(partPath: string, obstacle: Obstacle): LocalFileError {
  const elsewhere = 'or choose another name';
  const words: Record<Obstacle, readonly [message: string, code: string, hint: string]> = {
    'in use': [`another svc is writing ${partPath}`, 'in_use', `wait for it, ${elsewhere}`],
    'unknown owner': [
      `another svc may be writing ${partPath}, on another machine`,
      'in_use',
      `wait for it, ${elsewhere}; when surely none is: remove ${partPath}.json`,
    ],
    kept: [
      `${partPath} is there: what an earlier run left`,
      'part_exists',
      'go on with it: --resume; or start over: --force',
    ],
    'of a source': [
      `${partPath} is a part of something else`,
      'foreign_part',
      `fetch that to its end, ${elsewhere}`,
    ],
  };
  const [message, code, hint] = words[obstacle];
  return new LocalFileError(message, { code, hint });
}
