/**
 * Whose a part file is, and what it is a part of: NAME.part.json beside NAME.part. A part belongs to
 * one process as long as that one lives. What it leaves may be taken over by who goes on with it,
 * and is never overwritten by anybody else.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { LocalFileError } from '../errors.js';
import { numbered } from '../lib/file-name.js';
import { notRegular, readOwn } from '../lib/own-file.js';
import { codeOf, fileTrouble } from './file-trouble.js';
import { disown, isGone, newOwner, Owner } from './owner.js';
import { giveNewName } from './target.js';

/** What the bytes of a part file belong to, where they can be had again. */
const Source = z.object({
  /** Where they come from; two links to one thing have the same. */
  id: z.string(),
  /** A strong one, with its quotes: without it, nothing can be joined to the bytes. */
  etag: z.optional(z.string()),
  /** Of the whole, in bytes. */
  length: z.optional(z.number()),
  contentType: z.optional(z.string()),
});
export type Source = z.output<typeof Source>;

const Note = z.object({
  svc: z.literal('part of a file'),
  /** Changes with every claim. */
  claim: z.string(),
  /** Absent when the last one let go. */
  owner: z.optional(Owner),
  source: z.optional(Source),
});
type Note = z.output<typeof Note>;

export interface Claim {
  readonly partPath: string;
  readonly handle: FileHandle;
  /** What its bytes belong to, as far as that was noted. */
  readonly source: Source | undefined;
  /** Writes down what the bytes from now on belong to. */
  note(source: Source): Promise<void>;
  /**
   * Closes the file and leaves it to others; an empty one goes. Without a source it stays without a
   * note, as a file like any other. Never rejects.
   * @returns how many bytes are there.
   */
  leave(): Promise<number>;
  /** The part file has been renamed or removed; the note goes too. Never rejects. */
  end(): Promise<void>;
}

/** Whether bytes that somebody left may be taken over; of those without a source nobody knows whose. */
export type Takes = (source: Source | undefined) => boolean;

/**
 * Why a part file cannot be had: somebody is at it; perhaps somebody, which cannot be known here;
 * it holds bytes that are not to be taken over, without a source or with one.
 */
export type Obstacle = 'in use' | 'unknown owner' | 'kept' | 'of a source';

const maxNumber = 99;

/**
 * Takes the first of NAME.part, NAME-2.part, … that can be had, or makes it.
 * @throws LocalFileError when none can be made.
 */
export async function claimPart(path: string, takes: Takes): Promise<Claim> {
  for (let number = 1; number <= maxNumber; number += 1) {
    const claim = await claimOnly(numberedPath(path, number), takes);
    if (typeof claim !== 'string') return claim;
  }
  throw new LocalFileError(`cannot write ${path}: there are too many parts of it already`, {
    code: 'too_many_parts',
    hint: `remove those that are of no use: ${numbered(path, 2)}.part and so on`,
  });
}

/** Takes NAME.part and no other, or makes it. @throws LocalFileError when it cannot be made. */
export async function claimOnly(path: string, takes: Takes): Promise<Claim | Obstacle> {
  const owner = await newOwner();
  try {
    const claim = await tryClaim(`${path}.part`, owner, takes);
    if (typeof claim === 'string') disown(owner);
    return claim;
  } catch (cause) {
    disown(owner);
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}

/**
 * Removes what killed processes left of something that is here whole by now: at most one of their
 * parts has been taken over.
 */
export async function removeLeftovers(path: string, sourceId: string): Promise<void> {
  const names = new Set(await readdir(dirname(path)));
  for (let number = 1; number <= maxNumber; number += 1) {
    const one = numberedPath(path, number);
    const notePath = `${one}.part.json`;
    if (!names.has(basename(notePath))) continue;
    if (readNote(notePath)?.source?.id !== sourceId) continue;
    const claim = await claimOnly(one, (source) => source?.id === sourceId);
    if (typeof claim === 'string') continue;
    await claim.handle.close();
    await rm(claim.partPath, { force: true });
    await claim.end();
  }
}

function numberedPath(path: string, number: number): string {
  return number === 1 ? path : numbered(path, number);
}

async function tryClaim(partPath: string, owner: Owner, takes: Takes): Promise<Claim | Obstacle> {
  const notePath = `${partPath}.json`;
  const fresh: Note = { svc: 'part of a file', claim: owner.id, owner };
  if (await writeNew(notePath, fresh)) {
    const handle = await openUnnoted(partPath, takes).catch(async (error: unknown) => {
      await rm(notePath, { force: true });
      throw error;
    });
    if (handle) return held(partPath, handle, fresh, owner);
    await rm(notePath, { force: true });
    return 'kept';
  }
  const seen = readNote(notePath);
  if (!seen) return 'unknown owner';
  if (!(await isGone(seen.owner))) {
    return seen.owner?.host === hostname() ? 'in use' : 'unknown owner';
  }
  // What the last one left stays the same for as long as its note does.
  const isEmpty = (await bytesIn(partPath)) === 0;
  if (!isEmpty && !takes(seen.source)) return seen.source ? 'of a source' : 'kept';
  const note = isEmpty ? fresh : { ...fresh, source: seen.source };
  if (!(await succeed(notePath, seen, note))) return 'in use';
  return held(partPath, await openKept(partPath), note, owner);
}

/**
 * Takes over a note, for one of several at most: the heir's name holds the claim that it follows,
 * so that only one can be made, and what it follows is looked at again before it takes its place.
 * An heir that died before it came so far is followed in the same way.
 */
async function succeed(notePath: string, seen: Note, note: Note): Promise<boolean> {
  const heir = `${notePath}.${seen.claim}`;
  if (!(await writeNew(heir, note))) {
    const other = readNote(heir);
    if (!other || !(await isGone(other.owner)) || !(await succeed(heir, other, note))) return false;
  }
  if (readNote(notePath)?.claim !== seen.claim) {
    await rm(heir, { force: true });
    return false;
  }
  await rename(heir, notePath);
  return true;
}

function held(partPath: string, handle: FileHandle, first: Note, owner: Owner): Claim {
  const notePath = `${partPath}.json`;
  let note = first;
  const write = async (changed: Note) => {
    const next = `${notePath}.${note.claim}`;
    if (!(await writeNew(next, changed))) throw new Error(`${next} is in the way`);
    await rename(next, notePath);
    note = changed;
  };
  const end = async () => {
    // A note that stays is one of a process that is gone.
    await rm(notePath, { force: true }).catch(() => undefined);
    disown(owner);
  };
  const leave = async () => {
    // Nobody waits for the closing: a slow disk may have much to write yet.
    const closed = handle.close().catch(() => undefined);
    const bytes = await bytesIn(partPath);
    if (bytes === 0) {
      await closed;
      await rm(partPath, { force: true });
    }
    if (bytes > 0 && note.source) {
      // Known in this process also where a full disk keeps it from being written down.
      await write({ ...note, owner: undefined }).finally(() => disown(owner));
    } else await end();
    return bytes;
  };
  return {
    partPath,
    handle,
    source: first.source,
    note: (source) => write({ ...note, source }),
    leave: () => leave().catch(() => bytesIn(partPath).catch(() => 0)),
    end,
  };
}

/** False when the file exists. Of several at once, one makes it; it is never there in part. */
async function writeNew(path: string, note: Note): Promise<boolean> {
  // Short, for the name beside it may be as long as names can be.
  const draft = join(dirname(path), `.part-${note.claim}`);
  try {
    await writeFile(draft, `${JSON.stringify(note)}\n`, { flag: 'wx', mode: 0o600 });
    return await giveNewName(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function readNote(path: string): Note | undefined {
  try {
    return Note.safeParse(JSON.parse(readOwn(path))).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A new part file, or one without a note; undefined when that is not to be taken. */
async function openUnnoted(path: string, takes: Takes): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx+');
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return takes(undefined) ? openKept(path) : undefined;
  }
}

/** Absent on Windows. */
const noFollow = constants.O_NOFOLLOW || 0;

async function openKept(path: string): Promise<FileHandle> {
  if ((await bytesIn(path)) === 0) await rm(path, { force: true });
  return open(path, constants.O_RDWR | constants.O_CREAT | noFollow, 0o666);
}

/**
 * How many bytes there are to go on with. Whoever died after giving a file its name left it under
 * both: it is a whole file now, hands off.
 */
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
