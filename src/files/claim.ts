/**
 * Whose a part file is, and what it is a part of: NAME.part.json beside NAME.part. Several svc may
 * want one name at once; each gets a part file of its own. That of a process that is gone may be
 * taken over, and goes on where it stopped.
 */
import { constants } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as z from 'zod/mini';
import { LocalFileError } from '../errors.js';
import { numbered } from '../lib/file-name.js';
import { codeOf, fileTrouble } from './file-trouble.js';
import { disown, isGone, newOwner, Owner } from './owner.js';

/** What the bytes of a part file belong to. */
const Source = z.object({
  /** Where they come from; two links to one thing have the same. */
  id: z.string(),
  /** A strong one, with its quotes: without it, nothing can be joined to the bytes. */
  etag: z.optional(z.string()),
  /** Of the whole, in bytes. */
  length: z.optional(z.number()),
  contentType: z.optional(z.string()),
  /** The server's hint. */
  suggestedName: z.optional(z.string()),
});
export type Source = z.output<typeof Source>;

const Note = z.object({
  svc: z.literal('part of a download'),
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
  /** What its bytes belong to; undefined when there are none. */
  readonly source: Source | undefined;
  /** Writes down what the bytes from now on belong to. */
  note(source: Source): Promise<void>;
  /** Others may take it over. */
  letGo(): Promise<void>;
  /** The part file has been renamed or removed; the note goes too. */
  end(): Promise<void>;
}

const maxNumber = 99;

/**
 * Takes the first of NAME.part, NAME-2.part, … that nobody else writes to, or makes it.
 * @throws LocalFileError when none can be made.
 */
export async function claimPart(path: string): Promise<Claim> {
  try {
    for (let number = 1; number <= maxNumber; number += 1) {
      const name = number === 1 ? path : numbered(path, number);
      const claim = await tryClaim(`${name}.part`);
      if (claim) return claim;
    }
  } catch (cause) {
    throw fileTrouble(cause, `cannot write ${path}`);
  }
  throw new LocalFileError(`cannot write ${path}: there are too many parts of it already`, {
    code: 'too_many_parts',
    hint: `remove those that are of no use: ${numbered(path, 2)}.part and so on`,
  });
}

/**
 * Removes what killed processes left of something that is here whole by now: at most one of their
 * parts has been taken over.
 */
export async function removeLeftovers(path: string, sourceId: string): Promise<void> {
  const names = new Set(await readdir(dirname(path)));
  for (let number = 1; number <= maxNumber; number += 1) {
    const partPath = `${number === 1 ? path : numbered(path, number)}.part`;
    if (!names.has(`${basename(partPath)}.json`)) continue;
    const note = await readNote(`${partPath}.json`);
    if (note?.source?.id !== sourceId) continue;
    const claim = await tryClaim(partPath);
    if (!claim) continue;
    await claim.handle.close();
    await rm(partPath, { force: true });
    await claim.end();
  }
}

async function tryClaim(partPath: string): Promise<Claim | undefined> {
  const notePath = `${partPath}.json`;
  const owner = await newOwner();
  const fresh: Note = { svc: 'part of a download', claim: owner.id, owner };
  if (await writeNew(notePath, fresh)) {
    // A part file without a note is somebody else's.
    const handle = await openNew(partPath).catch(async (error: unknown) => {
      await rm(notePath, { force: true });
      throw error;
    });
    if (handle) return held(partPath, handle, fresh, owner);
    await rm(notePath, { force: true });
    return undefined;
  }
  const seen = await readNote(notePath);
  if (!seen || !(await isGone(seen.owner))) return undefined;
  const note = { ...seen, claim: owner.id, owner };
  if (!(await succeed(notePath, seen, note))) return undefined;
  return held(partPath, await openKept(partPath), note, owner);
}

/**
 * Takes over a note, for one of several at most: the heir's name holds the claim that it follows,
 * so that only one can be made, and what it follows is looked at again before it takes its place.
 */
async function succeed(notePath: string, seen: Note, note: Note): Promise<boolean> {
  const heir = `${notePath}.${seen.claim}`;
  if (!(await writeNew(heir, note))) return false;
  if ((await readNote(notePath))?.claim !== seen.claim) {
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
  return {
    partPath,
    handle,
    source: first.source,
    note: (source) => write({ ...note, source }),
    letGo: () => {
      // Known in this process also where a full disk keeps it from being written down.
      disown(owner);
      return write({ ...note, owner: undefined });
    },
    end: () => {
      disown(owner);
      return rm(notePath, { force: true });
    },
  };
}

/** False when the file exists. */
async function writeNew(path: string, note: Note): Promise<boolean> {
  const handle = await openNew(path, 0o600);
  if (!handle) return false;
  try {
    await handle.writeFile(`${JSON.stringify(note)}\n`);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return true;
}

async function readNote(path: string): Promise<Note | undefined> {
  try {
    const parsed = Note.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined when the file exists. */
async function openNew(path: string, mode = 0o666): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx+', mode);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Absent on Windows. */
const noFollow = constants.O_NOFOLLOW || 0;

async function openKept(path: string): Promise<FileHandle> {
  // Whoever died after giving it its name left it under both: it is a whole file now, hands off.
  if (await hasOtherNames(path)) await rm(path);
  return open(path, constants.O_RDWR | constants.O_CREAT | noFollow, 0o666);
}

async function hasOtherNames(path: string): Promise<boolean> {
  try {
    return (await stat(path)).nlink > 1;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
