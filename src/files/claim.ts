/** The owner and the source of a part file: NAME.part.json beside NAME.part records both. */
import { constants } from 'node:fs';
import { lstat, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { nthName } from '../lib/file-name.js';
import { notRegular, readOwnJson } from '../lib/own-file.js';
import { giveNewName, replaceFile } from '../lib/replace-file.js';
import { LocalFileError, type ErrorCode } from '../errors.js';
import { codeOf, fileTrouble } from './file-trouble.js';
import { newOwner, Owner, releaseOwner, stateOf } from './owner.js';

/** What the bytes of a part file belong to, where they can be downloaded again. */
const PartSource = z.object({
  id: z.string(),
  /** A strong one, with its quotes: without it, nothing can be appended. */
  etag: z.optional(z.string()),
  length: z.optional(z.number()),
  contentType: z.optional(z.string()),
});
export type PartSource = z.output<typeof PartSource>;

const Note = z.object({
  svc: z.literal('part of a file'),
  claim: z.string(),
  owner: z.optional(Owner),
  source: z.optional(PartSource),
});
type Note = z.output<typeof Note>;

/** Whether existing bytes may be continued; without a source their origin is unknown. */
export type Takes = (source: PartSource | undefined) => boolean;

export type Obstacle = 'in use' | 'unknown owner' | 'kept' | 'of a source';

export class Claim {
  readonly source: PartSource | undefined;
  #left: Promise<number> | undefined;

  constructor(
    readonly partPath: string,
    readonly handle: FileHandle,
    private stored: Note,
    readonly bytes: number,
  ) {
    this.source = stored.source;
  }

  note(source: PartSource): Promise<void> {
    return this.#write({ ...this.stored, source });
  }

  /** Releases it to others; an empty one is removed. Never rejects. @returns its bytes. */
  leave(): Promise<number> {
    this.#left ??= this.#leave().catch(() => bytesIn(this.partPath).catch(() => 0));
    return this.#left;
  }

  /** After the part file has been renamed or removed; removes the note. Never rejects. */
  async end(): Promise<void> {
    this.#left ??= Promise.resolve(0);
    await rm(`${this.partPath}.json`, { force: true }).catch(() => undefined);
    releaseOwner({ id: this.stored.claim });
  }

  async #leave(): Promise<number> {
    // Closing is not awaited: a slow disk may still have much to write.
    const closed = this.handle.close().catch(() => undefined);
    const bytes = await bytesIn(this.partPath);
    if (bytes === 0) {
      await closed;
      await rm(this.partPath, { force: true });
    }
    const { claim: id, source } = this.stored;
    if (bytes === 0 || !source) await this.end();
    // Recorded in this process too, in case a full disk prevents the write.
    else
      await this.#write({ ...this.stored, owner: undefined }).finally(() => releaseOwner({ id }));
    return bytes;
  }

  async #write(note: Note): Promise<void> {
    await writeNote(`${this.partPath}.json`, note, replaceFile);
    this.stored = note;
  }
}

/** Where the part file is wanted: for one name, perhaps claimed already, or for any in a folder. */
interface PartPlace {
  readonly kind: 'file' | 'folder';
  readonly claim?: Claim;
}

/**
 * Claims the first free one of NAME.part, NAME-2.part, …, or creates it. @throws LocalFileError
 * where another svc is writing a file that may have no other name
 */
export async function claimPart(
  path: string,
  takes: Takes,
  { kind, claim: earlier }: PartPlace,
): Promise<Claim> {
  for (let number = 1; ; number += 1) {
    const name = nthName(path, number);
    if (earlier?.partPath === `${name}.part`) return earlier;
    const claim = await claimOnly(name, takes);
    if (typeof claim !== 'string') return claim;
    const isOnly = kind === 'file' && !earlier;
    if (isOnly && claim === 'in use') throw inTheWay(`${name}.part`, claim);
  }
}

export async function claimOnly(path: string, takes: Takes): Promise<Claim | Obstacle> {
  const owner = await newOwner();
  let claim: Claim | Obstacle | undefined;
  try {
    claim = await tryClaim(`${path}.part`, owner, takes);
    return claim;
  } catch (cause) {
    throw fileTrouble(cause, `cannot write ${path}`);
  } finally {
    if (!(claim instanceof Claim)) releaseOwner(owner);
  }
}

/** Removes the remains of killed processes for a file that is now complete. */
export async function removeLeftovers(path: string, sourceId: string): Promise<void> {
  for (let number = 1; number < 100; number += 1) {
    const one = nthName(path, number);
    if (readOwnJson(Note, `${one}.part.json`)?.source?.id !== sourceId) continue;
    const claim = await claimOnly(one, (source) => source?.id === sourceId);
    if (typeof claim === 'string') continue;
    await claim.handle.close();
    await rm(claim.partPath, { force: true });
    await claim.end();
  }
}

async function tryClaim(partPath: string, owner: Owner, takes: Takes): Promise<Claim | Obstacle> {
  const notePath = `${partPath}.json`;
  const fresh: Note = { svc: 'part of a file', claim: owner.id, owner };
  const claimWith = async (note: Note, handle: FileHandle) =>
    new Claim(partPath, handle, note, (await handle.stat()).size);
  if (await writeNote(notePath, fresh, giveNewName)) {
    let handle: FileHandle | undefined;
    try {
      handle = await open(partPath, 'wx+').catch((error: unknown) => {
        // It is there, without a note.
        if (codeOf(error) !== 'EEXIST') throw error;
        return takes(undefined) ? openKept(partPath) : undefined;
      });
      return handle ? await claimWith(fresh, handle) : 'kept';
    } finally {
      if (!handle) await rm(notePath, { force: true });
    }
  }
  const seen = readOwnJson(Note, notePath);
  if (!seen) return 'unknown owner';
  const state = await stateOf(seen.owner);
  if (state !== 'gone') return state === 'running' ? 'in use' : 'unknown owner';
  // The bytes stay unchanged as long as the note does.
  const isEmpty = (await bytesIn(partPath)) === 0;
  if (!isEmpty && !takes(seen.source)) return seen.source ? 'of a source' : 'kept';
  const note = isEmpty ? fresh : { ...fresh, source: seen.source };
  if (!(await takeOver(notePath, seen, note))) return 'in use';
  return claimWith(note, await openKept(partPath));
}

/**
 * Takes over the note of a claim whose owner is gone. Of several processes one can: the note of the
 * successor lies under the name of the claim that it follows, until it replaces it.
 */
async function takeOver(notePath: string, seen: Note, note: Note): Promise<boolean> {
  const successor = `${notePath}.${seen.claim}`;
  if (!(await writeNote(successor, note, giveNewName))) {
    const other = readOwnJson(Note, successor);
    if (!other || (await stateOf(other.owner)) !== 'gone') return false;
    if (!(await takeOver(successor, other, note))) return false;
  }
  if (readOwnJson(Note, notePath)?.claim !== seen.claim) {
    await rm(successor, { force: true });
    return false;
  }
  await replaceFile(successor, notePath);
  return true;
}

async function writeNote<Placed>(
  path: string,
  note: Note,
  place: (fresh: string, path: string) => Promise<Placed>,
): Promise<Placed> {
  // Short, because the name beside it may have the maximum length.
  const fresh = join(dirname(path), `.part-${note.claim}`);
  try {
    await writeFile(fresh, `${JSON.stringify(note)}\n`, { flag: 'wx', flush: true, mode: 0o600 });
    return await place(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}

async function openKept(path: string): Promise<FileHandle> {
  if ((await bytesIn(path)) === 0) await rm(path, { force: true });
  // O_NOFOLLOW is absent on Windows.
  return open(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW || 0), 0o666);
}

/** Bytes to continue. Two names mean a complete file, whose writer died after naming it. */
async function bytesIn(path: string): Promise<number> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) throw notRegular(path);
    return stats.nlink > 1 ? 0 : stats.size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

export function inTheWay(partPath: string, obstacle: Obstacle): LocalFileError {
  const elsewhere = 'or choose another name';
  const words: Record<Obstacle, readonly [message: string, code: ErrorCode, hint: string]> = {
    'in use': [`another svc is writing ${partPath}`, 'in_use', `wait for it, ${elsewhere}`],
    'unknown owner': [
      `another svc may be writing ${partPath}, on another machine`,
      'in_use',
      `wait for it, ${elsewhere}; if none is running, remove ${partPath}.json`,
    ],
    kept: [
      `${partPath} is left from an earlier run`,
      'part_exists',
      'continue it with --resume, or start over with --force',
    ],
    'of a source': [
      `${partPath} belongs to another file`,
      'foreign_part',
      `finish that download, ${elsewhere}`,
    ],
  };
  const [message, code, hint] = words[obstacle];
  return new LocalFileError(message, { code, hint });
}
