/** An incoming file: NAME.part until complete, and identifiable after a crash. */
import { dirname, join } from 'node:path';
import { fileKind, fileKindOf, kindBytes } from '../lib/file-kind.js';
import { syncFolder } from '../lib/own-file.js';
import { Blocks } from './blocks.js';
import { claimOnly, claimPart, inTheWay, removeLeftovers } from './claim.js';
import type { Claim, PartSource, Takes } from './claim.js';
import { codeOf, failing, fileTrouble } from './file-trouble.js';
import { printOf } from './saved-file.js';
import { checkTarget, giveName, nameIn, prepareTarget, type Place, type Target } from './target.js';

export interface Renamed {
  readonly path: string;
  readonly mediaType: string | undefined;
}

export class PartFile {
  readonly partPath: string;
  version: PartSource | undefined;
  /** Room for the next bytes; see `Memory` in http/types.ts. */
  readonly memory: () => Buffer;
  readonly #blocks: Blocks;

  /** @param sourceId is absent for rows, which are resumed only by name. */
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

  /** Resumes an earlier run of the same source; without a source nothing is resumed. */
  static async open(target: Target, sourceId = ''): Promise<PartFile> {
    await prepareTarget(target);
    const takes: Takes = (source) => source?.id === sourceId;
    const claim = await claimPart(stemOf(target), takes, target);
    return new PartFile(claim, target, sourceId, claim.source?.etag !== undefined);
  }

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
    syncFolder(dirname(path));
    return file;
  }

  get bytes(): number {
    return this.#blocks.end;
  }

  /** Discards the existing bytes; the next ones are of this version of the source. */
  async begin(version: Omit<PartSource, 'id'>): Promise<void> {
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

  /** Fills it from the start and names it; an incomplete one stays. */
  async fill(
    version: Omit<PartSource, 'id'>,
    write: (take: (piece: Buffer) => void | Promise<void>) => void | Promise<unknown>,
  ): Promise<Renamed> {
    await this.orAbandon(async () => {
      await this.begin(version);
      await write((piece) => this.take(piece));
    });
    return this.finish();
  }

  /** Does work without which it stays incomplete. */
  async orAbandon<Result>(work: () => Promise<Result>): Promise<Result> {
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

  /** In the order of the calls. After it resolves, a kill loses nothing. */
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

  /** After it resolves, a power failure loses nothing. */
  sync(): Promise<void> {
    return this.#guarded(() => this.#blocks.sync());
  }

  flush(): Promise<void> {
    return this.#guarded(() => {
      this.#blocks.flush();
    });
  }

  /** The file is complete: it gets its name. Otherwise the part file stays. */
  finish(): Promise<Renamed> {
    return this.orAbandon(() => this.#finish());
  }

  async #finish(): Promise<Renamed> {
    const { claim, sourceId, target } = this;
    const { head, print } = await this.#guarded(async () => {
      // After a power cut, a named file must not be empty.
      await this.#blocks.sync();
      const head = await this.read(0, kindBytes);
      const print = target.beforeNaming && (await printOf(claim.handle));
      await claim.handle.close();
      return { head, print };
    });
    const kind = fileKind(head, this.version?.contentType);
    // An unknown type gets no extension, whatever the service calls it.
    const extension = fileKindOf(head) && kind?.extension;
    const naming = giveName(this.partPath, target, extension, print);
    const path = await naming.catch(failing(`cannot name ${this.partPath}`));
    syncFolder(dirname(path));
    await claim.end();
    if (sourceId) await removeLeftovers(stemOf(target), sourceId).catch(() => undefined);
    return { path, mediaType: kind?.mediaType };
  }

  /** Ends it incomplete. Its bytes stay for the next run; an empty part file is removed. */
  async abandon(): Promise<{ keptBytes: number }> {
    try {
      this.#blocks.flush();
    } catch {
      // The disk is full: fewer bytes may have been written than taken.
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
    const isKept = this.version?.etag === undefined ? '' : ': it continues where it stopped';
    const next = this.sourceId === undefined ? 'continue' : `run it again${isKept}`;
    const hint = isFull ? `free some space, then ${next}` : undefined;
    return fileTrouble(cause, `cannot write ${this.partPath}`, hint);
  }
}

/** Holds a file's name while its content is paid for: others are refused it before they pay. */
export async function holdName<To extends Place | { readonly kind: 'stream' }, Result>(
  to: To & { readonly taken?: object | undefined },
  work: (to: To) => Promise<Result>,
): Promise<Result> {
  if (to.kind !== 'file' || to.taken) return work(to);
  const claim = await claimPart(to.path, () => false, to);
  try {
    // Another svc may have named its file since the first check.
    await checkTarget(to);
    return await work({ ...to, claim });
  } finally {
    await claim.leave();
  }
}

/** The base of part file names, known before the content: the next run must find it. */
function stemOf(target: Target): string {
  if (target.kind === 'file') return target.path;
  // A name that ends in the extension ends in `.part` here.
  return join(target.folder, nameIn(target, 'part').replace(/\.part$/, ''));
}
