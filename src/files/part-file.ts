/** A file on its way in: NAME.part until it is whole, and known for what it is after a crash. */
import { join } from 'node:path';
import type { Clock } from '../lib/clock.js';
import {
  fileKind,
  isKnownExtension,
  isSameExtension,
  kindBytes,
  type FileKind,
} from '../lib/file-kind.js';
import { safeFileName, splitExtension } from '../lib/file-name.js';
import { Blocks } from './blocks.js';
import { claimPart, removeLeftovers, type Claim, type Source } from './claim.js';
import { codeOf, fileTrouble } from './file-trouble.js';
import { settleAs, settleIn } from './settle.js';
import { checkTarget, type FolderTarget, type Target } from './target.js';

export type { Source } from './claim.js';

export interface Settled {
  readonly path: string;
  readonly mediaType: string | undefined;
}

/**
 * A file that grows as NAME.part and gets its name when it is whole. Sizes are in bytes; what fails
 * is a LocalFileError.
 */
export class PartFile {
  readonly #claim: Claim;
  readonly #target: Target;
  readonly #blocks: Blocks;
  /** What the part files of this thing are named after. */
  readonly #stem: string;
  #source: Source | undefined;

  private constructor(
    { claim, stem }: { claim: Claim; stem: string },
    target: Target,
    bytes: number,
    clock: Clock,
  ) {
    this.#claim = claim;
    this.#stem = stem;
    this.#target = target;
    this.#source = bytes > 0 ? claim.source : undefined;
    this.#blocks = new Blocks(claim.handle, bytes, () => clock.now());
  }

  /**
   * Opens a part file of one's own; what an earlier run left of the same thing is kept.
   * @param sourceId where the bytes come from; without it they are like no others, and what there
   * is of them stays when it breaks off.
   * @param hint a name for it, where the target is a folder without one.
   * @throws LocalFileError when the file can surely not be made, or the part file cannot.
   */
  static async open(
    target: Target,
    { sourceId, hint, clock }: { sourceId?: string; hint?: string; clock: Clock },
  ): Promise<PartFile> {
    await checkTarget(target);
    const stem = nameWithoutPart(target, hint);
    const claim = await claimPart(stem, (source) => source !== undefined && source.id === sourceId);
    try {
      const { size } = await claim.handle.stat();
      const canGoOn = claim.source?.etag !== undefined;
      return new PartFile({ claim, stem }, target, canGoOn ? size : 0, clock);
    } catch (cause) {
      await claim.leave();
      throw fileTrouble(cause, `cannot write ${claim.partPath}`);
    }
  }

  get path(): string {
    return this.#claim.partPath;
  }

  /** How many bytes of the source it holds, from its start on. */
  get bytes(): number {
    return this.#blocks.end;
  }

  /** What its bytes belong to; undefined when there are none. */
  get source(): Source | undefined {
    return this.#source;
  }

  /** Room for the next bytes; see `Memory` in http/types.ts. */
  get memory(): () => Buffer {
    return this.#blocks.memory;
  }

  /** Drops what there is; what is taken from now on is of this source. */
  async begin(source: Source): Promise<void> {
    await this.#guarded(async () => {
      await this.#blocks.flush();
      await this.#claim.handle.truncate(0);
      this.#blocks.moveTo(0);
      await this.#claim.note(source);
      this.#source = source;
    });
  }

  /** A promise means: no more until then. @throws LocalFileError */
  take(piece: Buffer): void | Promise<void> {
    try {
      return this.#blocks.take(piece)?.catch((cause: unknown) => {
        throw this.#trouble(cause);
      });
    } catch (cause) {
      throw this.#trouble(cause);
    }
  }

  /** Resolves when all that was taken is in the file. */
  flush(): Promise<void> {
    return this.#guarded(() => this.#blocks.flush());
  }

  /** The file is whole: it gets its name. */
  async finish(): Promise<Settled> {
    const { handle } = this.#claim;
    const kind = await this.#guarded(async () => {
      // A power cut must not leave a name with nothing behind it.
      await this.#blocks.sync();
      const head = Buffer.alloc(kindBytes);
      const { bytesRead } = await handle.read(head, 0, kindBytes, 0);
      await handle.close();
      return fileKind(head.subarray(0, bytesRead), this.#source?.contentType);
    });
    const path = await this.#settle(kind);
    await this.#claim.end();
    if (this.#source) await removeLeftovers(this.#stem, this.#source.id).catch(() => undefined);
    return { path, mediaType: kind?.mediaType };
  }

  /** Ends it unfinished. What there is stays, for the next run; an empty part file goes. */
  async abandon(): Promise<{ keptBytes: number }> {
    await this.#blocks.flush().catch(() => undefined);
    // Not only what was taken counts but what is there: the disk may be full.
    return { keptBytes: Math.min(this.bytes, await this.#claim.leave()) };
  }

  async #settle(kind: FileKind | undefined): Promise<string> {
    const { partPath } = this.#claim;
    try {
      return this.#target.kind === 'file'
        ? await settleAs(partPath, this.#target)
        : await settleIn(partPath, this.#target.folder, this.#nameFor(this.#target, kind));
    } catch (cause) {
      throw fileTrouble(cause, `cannot name ${partPath}`);
    }
  }

  #nameFor({ name }: FolderTarget, kind: FileKind | undefined): string {
    const { suggestedName = '' } = this.#source ?? {};
    if (name) {
      const extension = kind?.extension ?? (splitExtension(suggestedName)[1].slice(1) || 'bin');
      return safeFileName(name(extension)) ?? 'download';
    }
    return withExtension(safeFileName(suggestedName) ?? 'download', kind);
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      throw this.#trouble(cause);
    }
  }

  #trouble(cause: unknown): unknown {
    const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '');
    const onward = this.#source?.etag === undefined ? '' : ': it goes on where it stopped';
    const hint = isFull ? `free some space, then run it again${onward}` : undefined;
    return fileTrouble(cause, `cannot write ${this.#claim.partPath}`, hint);
  }
}

/** Settled before anything is known of the content: the next run has to find it. */
function nameWithoutPart(target: Target, hint = 'download'): string {
  if (target.kind === 'file') return target.path;
  // A name that ends in the extension ends in `.part` here.
  const name = target.name?.('part').replace(/\.part$/, '') ?? splitExtension(hint)[0];
  return join(target.folder, safeFileName(name) ?? 'download');
}

/** The content is right where a server's name for it is not. */
function withExtension(name: string, kind: FileKind | undefined): string {
  if (!kind) return name;
  const [stem, extension] = splitExtension(name);
  if (extension !== '' && isSameExtension(extension.slice(1), kind.extension)) return name;
  const isKnown = isKnownExtension(extension.slice(1));
  return `${isKnown ? stem : name}.${kind.extension}`;
}
