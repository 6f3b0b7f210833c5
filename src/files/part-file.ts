/** An incoming file: NAME.part until it is complete, and identifiable after a crash. */
import { join } from 'node:path';
import { LocalFileError } from '../errors.js';
import { fileKind, fileKindOf, kindBytes } from '../lib/file-kind.js';
import { Blocks } from './blocks.js';
import {
  claimOnly,
  claimPart,
  removeLeftovers,
  type Claim,
  type Obstacle,
  type Source,
} from './claim.js';
import { codeOf, fileTrouble } from './file-trouble.js';
import { printOf } from './saved-file.js';
import { checkTarget, giveName, nameIn, prepareTarget, type Target } from './target.js';

export interface Renamed {
  readonly path: string;
  readonly mediaType: string | undefined;
}

export class PartFile {
  readonly partPath: string;
  version: Source | undefined;
  /** Room for the next bytes; see `Memory` in http/types.ts. */
  readonly memory: () => Buffer;
  readonly #blocks: Blocks;

  /** @param sourceId is absent of rows: they are resumed only by name. */
  private constructor(
    private readonly claim: Claim,
    private readonly target: Target,
    private readonly sourceId: string | undefined,
    canGoOn: boolean,
  ) {
    const bytes = canGoOn ? claim.bytes : 0;
    this.partPath = claim.partPath;
    this.version = bytes > 0 ? claim.source : undefined;
    this.#blocks = new Blocks(claim.handle, bytes);
    this.memory = this.#blocks.memory;
  }

  /** Resumes what an earlier run left of the same source; without a source nothing is resumed. */
  static async open(target: Target, sourceId = ''): Promise<PartFile> {
    await prepareTarget(target);
    const claim = await claimPart(stemOf(target), (source) => source?.id === sourceId);
    return new PartFile(claim, target, sourceId, claim.source?.etag !== undefined);
  }

  /** Opens NAME.part and no other, for rows; with `resume` it continues what an earlier run left. */
  static async openRows(
    path: string,
    { replace, resume }: { replace: boolean; resume: boolean },
  ): Promise<PartFile> {
    const target = { kind: 'file', path, replace } as const;
    await checkTarget(target);
    const claim = await claimOnly(path, (source) => !source && (resume || replace));
    if (typeof claim === 'string') throw inTheWay(`${path}.part`, claim);
    const file = new PartFile(claim, target, undefined, resume);
    if (!resume) await file.truncate(0);
    return file;
  }

  get bytes(): number {
    return this.#blocks.end;
  }

  /** Drops what there is; what is taken from now on is of this version of the source. */
  async begin(version: Omit<Source, 'id'>): Promise<void> {
    await this.truncate(0);
    const source = { ...version, id: this.sourceId ?? '' };
    this.version = source;
    await this.#guarded(() => this.claim.note(source));
  }

  truncate(length: number): Promise<void> {
    return this.#guarded(async () => {
      this.#blocks.moveTo(length);
      await this.claim.handle.truncate(length);
    });
  }

  /** Fills it from its start and gives it its name; one that breaks off is left as it is. */
  async fill(
    version: Omit<Source, 'id'>,
    write: (take: (piece: Buffer) => void | Promise<void>) => void | Promise<unknown>,
  ): Promise<Renamed> {
    await this.#orAbandon(async () => {
      await this.begin(version);
      await write((piece) => this.take(piece));
    });
    return this.finish();
  }

  async #orAbandon<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  take(piece: Buffer): void {
    try {
      this.#blocks.take(piece);
    } catch (cause) {
      throw this.#trouble(cause);
    }
  }

  /** Adds bytes, in the order of the calls. When it resolves, a kill loses nothing of them. */
  async write(piece: Buffer | string): Promise<void> {
    this.take(typeof piece === 'string' ? Buffer.from(piece) : piece);
    await this.flush();
  }

  async overwrite(piece: Buffer, position: number): Promise<void> {
    const { end } = this.#blocks;
    await this.flush();
    this.#blocks.moveTo(position);
    await this.write(piece);
    this.#blocks.moveTo(end);
  }

  read(position: number, maxLength: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(maxLength, this.bytes - position)));
    return this.#guarded(async () => {
      const { bytesRead } = await this.claim.handle.read(bytes, 0, bytes.length, position);
      return bytes.subarray(0, bytesRead);
    });
  }

  flush(): Promise<void> {
    return this.#guarded(() => {
      this.#blocks.flush();
    });
  }

  /** The file is whole: it gets its name. Otherwise the part file stays. */
  finish(): Promise<Renamed> {
    return this.#orAbandon(() => this.#finish());
  }

  async #finish(): Promise<Renamed> {
    const { claim, sourceId, target } = this;
    const { head, print } = await this.#guarded(async () => {
      // A power cut must not leave a name with nothing behind it.
      await this.#blocks.sync();
      const head = await this.read(0, kindBytes);
      const print = target.beforeNaming && (await printOf(claim.handle));
      await claim.handle.close();
      return { head, print };
    });
    const kind = fileKind(head, this.version?.contentType);
    // The service's own name for unknown bytes gives them no extension: it could be anything.
    const extension = fileKindOf(head) && kind?.extension;
    const path = await giveName(this.partPath, target, extension, print).catch((cause: unknown) => {
      throw fileTrouble(cause, `cannot name ${this.partPath}`);
    });
    await claim.end();
    if (sourceId) await removeLeftovers(stemOf(target), sourceId).catch(() => undefined);
    return { path, mediaType: kind?.mediaType };
  }

  /** Ends it unfinished. What there is stays, for the next run; an empty part file goes. */
  async abandon(): Promise<{ keptBytes: number }> {
    try {
      this.#blocks.flush();
    } catch {
      // The disk is full: not only what was taken counts but what is there.
    }
    return { keptBytes: Math.min(this.bytes, await this.claim.leave()) };
  }

  async #guarded<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      throw this.#trouble(cause);
    }
  }

  #trouble(cause: unknown): unknown {
    const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '');
    const isKept = this.version?.etag === undefined ? '' : ': it goes on where it stopped';
    const next = this.sourceId === undefined ? 'go on' : `run it again${isKept}`;
    const hint = isFull ? `free some space, then ${next}` : undefined;
    return fileTrouble(cause, `cannot write ${this.partPath}`, hint);
  }
}

/** What part files are named after, known before the content is: the next run has to find it. */
function stemOf(target: Target): string {
  if (target.kind === 'file') return target.path;
  // A name that ends in the extension ends in `.part` here.
  return join(target.folder, nameIn(target, 'part').replace(/\.part$/, ''));
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
