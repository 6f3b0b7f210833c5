/**
 * What long work has brought so far, piece by piece, in a folder of its own: each piece is paid for
 * once, whatever happens before all are there.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { LocalFileError, UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { disown, isGone, newOwner, Owner } from '../files/owner.js';
import type { Clock } from '../lib/clock.js';
import { readOwn } from '../lib/own-file.js';
import { withLock } from '../state/lock.js';

/** What pieces belong to: those of other facts are never used. */
type Facts = Readonly<Record<string, string | number | undefined>>;

const Note = z.object({
  svc: z.literal('kept pieces'),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  pieces: z.number(),
  /** Absent when the last one let go. */
  owner: z.optional(Owner),
});
type Note = z.output<typeof Note>;

export interface Pieces {
  readonly facts: Facts;
  readonly count: number;
  /** What the name of each ends in, without a dot. */
  readonly extension: string;
  /** For messages. */
  readonly words: {
    /** What svc does with the folder: `speaking into`. */
    readonly doing: string;
    /** How to have all of it once more: `speak it all anew`. */
    readonly anew: string;
    /** What else than waiting helps, where that is so: `choose another name with -o`. */
    readonly elsewhere?: string;
  };
}

export interface KeptPieces {
  readonly folder: string;
  /** How many there will be. */
  readonly total: number;
  /** Where a piece is, or goes. */
  path(index: number): string;
  /** Whether it is there, whole. */
  has(index: number): Promise<boolean>;
  /** How many are. */
  count(): Promise<number>;
  /** Others may go on with them; a folder without a whole piece goes. */
  letGo(): Promise<void>;
  /** They are of no more use. */
  remove(): Promise<void>;
}

export interface Keeping {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Go on with what an earlier run left. */
  readonly resume: boolean;
  /** What it left of other work may go; what it left of this is gone on with. */
  readonly force: boolean;
}

/**
 * Opens the folder, or makes it.
 * @throws LocalFileError when it cannot be made, another svc works in it, or it holds pieces that
 * were paid for and `resume` does not ask for them; UsageError when those are of other facts.
 */
export async function keptPieces(
  folder: string,
  pieces: Pieces,
  keeping: Keeping,
): Promise<KeptPieces> {
  await madeFolder(folder, pieces);
  const { clock, signal } = keeping;
  const lock = join(folder, 'lock');
  const owner = await newOwner();
  const note = noteOf(pieces, owner);
  try {
    await withLock(lock, { clock, signal }, async () => {
      const found = readNote(folder);
      if (found) await refuseOther(folder, { found, pieces, keeping });
      else await refuseUnknown(folder, pieces, keeping);
      await writeNote(folder, note);
    });
  } catch (error) {
    disown(owner);
    throw fileTrouble(error, `cannot write in ${folder}`);
  }
  const { count: total, extension } = pieces;
  const path = (index: number) =>
    join(folder, `${String(index + 1).padStart(4, '0')}.${extension}`);
  const has = (index: number) => isFile(path(index));
  const count = async () => {
    const all = await Promise.all(Array.from({ length: total }, (_, index) => has(index)));
    return all.filter(Boolean).length;
  };
  const remove = async () => {
    disown(owner);
    await rm(folder, { recursive: true, force: true }).catch((cause: unknown) => {
      throw fileTrouble(cause, `cannot remove ${folder}`);
    });
  };
  return {
    folder,
    total,
    path,
    has,
    count,
    remove,
    letGo: async () => {
      if ((await count()) === 0) return remove();
      disown(owner);
      await writeNote(folder, { ...note, owner: undefined });
    },
  };
}

function noteOf({ facts, count }: Pieces, owner: Owner): Note {
  const known: Note['facts'] = {};
  for (const [name, fact] of Object.entries(facts)) if (fact !== undefined) known[name] = fact;
  return { svc: 'kept pieces', facts: known, pieces: count, owner };
}

async function madeFolder(folder: string, { words }: Pieces): Promise<void> {
  try {
    await mkdir(folder);
    return;
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw fileTrouble(cause, `cannot make ${folder}`);
  }
  const names = await readdir(folder).catch((cause: unknown) => {
    throw fileTrouble(cause, `cannot keep pieces in ${folder}`);
  });
  if (names.length === 0 || names.includes(noteName) || names.includes('lock')) return;
  throw new LocalFileError(`${folder} is in the way: it is none of svc's`, {
    code: 'file_exists',
    hint: orElsewhere('move it away', words),
  });
}

function orElsewhere(first: string, { elsewhere }: Pieces['words']): string {
  return elsewhere === undefined ? first : `${first}, or ${elsewhere}`;
}

interface Met {
  readonly found: Note;
  readonly pieces: Pieces;
  readonly keeping: Keeping;
}

/** What an earlier run left may be paid for: it is never dropped, or used, unasked. */
async function refuseOther(folder: string, { found, pieces, keeping }: Met): Promise<void> {
  const { facts, words } = pieces;
  if (!(await isGone(found.owner))) {
    throw new LocalFileError(`another svc is ${words.doing} ${folder}`, {
      code: 'in_use',
      hint: orElsewhere('wait for it', words),
    });
  }
  const differing = Object.keys(facts).filter((name) => found.facts[name] !== facts[name]);
  const kept = await wholePieces(folder);
  const { resume, force } = keeping;
  if (kept === 0 || (force && !resume && differing.length > 0)) {
    await clear(folder);
    return;
  }
  // Whoever repeats a line with --force wants the file replaced, not to pay again.
  if (differing.length === 0 && (resume || force)) return;
  if (!resume) {
    const count = `${String(kept)} of ${String(found.pieces)} pieces`;
    throw new LocalFileError(`${folder} holds ${count} of an earlier run, paid for`, {
      code: 'pieces_kept',
      hint: `go on with them: --resume; or remove them, and ${words.anew}`,
    });
  }
  throw new UsageError(`the pieces in ${folder} are of another ${differing.join(' and ')}`, {
    code: 'other_pieces',
    hint: `${orElsewhere('ask for the same as before', words)}; --force alone drops them`,
  });
}

/** Without its note nobody knows what the pieces say. */
async function refuseUnknown(
  folder: string,
  { words }: Pieces,
  { resume, force }: Keeping,
): Promise<void> {
  const kept = await wholePieces(folder);
  if (kept === 0) return;
  if (force && !resume) return clear(folder);
  throw new LocalFileError(`${folder} holds pieces, and what says of what is damaged`, {
    code: 'pieces_kept',
    hint: orElsewhere('move it away', words),
  });
}

const noteName = 'pieces.json';

function readNote(folder: string): Note | undefined {
  try {
    const parsed = Note.safeParse(JSON.parse(readOwn(join(folder, noteName))));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeNote(folder: string, note: Note): Promise<void> {
  const path = join(folder, noteName);
  await writeFile(`${path}.new`, `${JSON.stringify(note)}\n`);
  await rename(`${path}.new`, path);
}

const pieceName = /^\d{4,}\.[a-z0-9]+$/;

async function wholePieces(folder: string): Promise<number> {
  return (await readdir(folder)).filter((name) => pieceName.test(name)).length;
}

/** All but the lock, which is held. */
async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== 'lock') await rm(join(folder, name), { force: true });
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
