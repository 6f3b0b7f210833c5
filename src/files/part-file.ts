/** A file on its way in: NAME.part until it is whole, and known for what it is after a crash. */
import { join, resolve } from 'node:path';
import type { Clock } from '../lib/clock.js';
import { fileKind, fileKindOf, kindBytes } from '../lib/file-kind.js';
import { Blocks } from './blocks.js';
import { claimPart, removeLeftovers, type Claim, type Source } from './claim.js';
import { codeOf, fileTrouble } from './file-trouble.js';
import { printOf } from './saved-file.js';
import { checkTarget, nameIn, renameTo, renameInto, type Target } from './target.js';

export type { Source } from './claim.js';

export interface Renamed {
  readonly path: string;
  readonly mediaType: string | undefined;
}

/**
 * A file that grows as NAME.part and gets its name when it is whole. Sizes are in bytes; what fails
 * is a LocalFileError.
 */
export class PartFile {
  readonly #blocks: Blocks;
  #version: Source | undefined;

  private constructor(
    private readonly claim: Claim,
    private readonly target: Target,
    private readonly sourceId: string,
    bytes: number,
    clock: Clock,
  ) {
    this.#version = bytes > 0 ? claim.source : undefined;
    this.#blocks = new Blocks(claim.handle, bytes, () => clock.now());
  }

  /**
   * Opens a part file of one's own; what an earlier run left of the same thing is kept.
   * @param sourceId where the bytes come from; without it they are like no others, and what there
   * is of them stays when it breaks off.
   * @throws LocalFileError when the file can surely not be made, or the part file cannot.
   */
  static async open(
    target: Target,
    { sourceId = '', clock }: { sourceId?: string; clock: Clock },
  ): Promise<PartFile> {
    await checkTarget(target);
    const claim = await claimPart(stemOf(target), (source) => source?.id === sourceId);
    try {
      const { size } = await claim.handle.stat();
      const canGoOn = claim.source?.etag !== undefined;
      return new PartFile(claim, target, sourceId, canGoOn ? size : 0, clock);
    } catch (cause) {
      await claim.leave();
      throw fileTrouble(cause, `cannot write ${claim.partPath}`);
    }
  }

  get path(): string {
    return this.claim.partPath;
  }

  /** How many bytes of the source it holds, from its start on. */
  get bytes(): number {
    return this.#blocks.end;
  }

  /** What its bytes belong to; undefined when there are none. */
  get version(): Source | undefined {
    return this.#version;
  }

  /** Room for the next bytes; see `Memory` in http/types.ts. */
  get memory(): () => Buffer {
    return this.#blocks.memory;
  }

  /** Drops what there is; what is taken from now on is of this version of the source. */
  async begin(version: Omit<Source, 'id'>): Promise<void> {
    await this.#guarded(async () => {
      this.#blocks.flush();
      await this.claim.handle.truncate(0);
      this.#blocks.moveTo(0);
      this.#version = { ...version, id: this.sourceId };
      await this.claim.note(this.#version);
    });
  }

  /** Fills it from its start and gives it its name; one that breaks off is left as it is. */
  async fill(
    version: Omit<Source, 'id'>,
    write: (take: (piece: Buffer) => void | Promise<void>) => void | Promise<unknown>,
  ): Promise<Renamed> {
    try {
      await this.begin(version);
      await write((piece) => this.take(piece));
      return await this.finish();
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  /** @throws LocalFileError */
  take(piece: Buffer): void {
    try {
      this.#blocks.take(piece);
    } catch (cause) {
      throw this.#trouble(cause);
    }
  }

  /** Resolves when all that was taken is in the file. */
  flush(): Promise<void> {
    return this.#guarded(() => {
      this.#blocks.flush();
    });
  }

  /** The file is whole: it gets its name. */
  async finish(): Promise<Renamed> {
    const { handle } = this.claim;
    const { head, print } = await this.#guarded(async () => {
      // A power cut must not leave a name with nothing behind it.
      await this.#blocks.sync();
      const bytes = Buffer.alloc(kindBytes);
      const { bytesRead } = await handle.read(bytes, 0, kindBytes, 0);
      const print = this.target.beforeNaming && (await printOf(handle));
      await handle.close();
      return { head: bytes.subarray(0, bytesRead), print };
    });
    const kind = fileKind(head, this.#version?.contentType);
    // What a service calls bytes that nobody knows gives them no name: it could be anything.
    const extension = fileKindOf(head) && kind?.extension;
    const { partPath } = this.claim;
    const { target } = this;
    const tell = (named: string) =>
      print && target.beforeNaming?.({ path: resolve(named), ...print });
    const naming =
      target.kind === 'file'
        ? renameTo(partPath, target, tell)
        : renameInto(partPath, { folder: target.folder, name: nameIn(target, extension) }, tell);
    const path = await naming.catch((cause: unknown) => {
      throw fileTrouble(cause, `cannot name ${partPath}`);
    });
    await this.claim.end();
    if (this.#version)
      await removeLeftovers(stemOf(this.target), this.sourceId).catch(() => undefined);
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
    const isKept = this.#version?.etag === undefined ? '' : ': it goes on where it stopped';
    const hint = isFull ? `free some space, then run it again${isKept}` : undefined;
    return fileTrouble(cause, `cannot write ${this.claim.partPath}`, hint);
  }
}

/** What part files are named after, known before anything is known of the content: the next run has to find it. */
function stemOf(target: Target): string {
  if (target.kind === 'file') return target.path;
  // A name that ends in the extension ends in `.part` here.
  return join(target.folder, nameIn(target, 'part').replace(/\.part$/, ''));
}

/**
 * Opens the part file of a text at once, so that a name that cannot be written is known before money
 * is spent. @throws LocalFileError when the file exists and `replace` is false, or cannot be made.
 */
export async function openNewFile(
  path: string,
  { replace, clock }: { replace: boolean; clock: Clock },
) {
  const file = await PartFile.open({ kind: 'file', path, replace }, { clock });
  return {
    /** Where the bytes are until `finish`. */
    partPath: file.path,
    /** Writes follow each other in the order of the calls, whether or not one waits for them. */
    write: async (text: string): Promise<void> => {
      file.take(Buffer.from(text, 'utf8'));
      // It is paid for: a kill must lose nothing of it.
      await file.flush();
    },
    /**
     * Gives the file its name; rejects when the disk could not take it all, or when a file that
     * must not be replaced has come to stand there. What was written then stays in the part file.
     */
    finish: async (): Promise<void> => {
      try {
        await file.finish();
      } catch (error) {
        await file.abandon();
        throw error;
      }
    },
    /** Ends it unfinished: what was written stays in the part file; an empty one goes. */
    abandon: () => file.abandon(),
  };
}
