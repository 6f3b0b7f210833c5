/**
 * The pieces of a long text that have been spoken, in a folder beside the file that they become:
 * each is paid for once, whatever happens before all are there.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { LocalFileError, UsageError } from '../../errors.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { disown, isGone, newOwner, Owner } from '../../files/owner.js';
import type { Clock } from '../../lib/clock.js';
import { withLock } from '../../state/lock.js';
import type { Order } from './order.js';

const Note = z.object({
  svc: z.literal('pieces of speech'),
  /** Of the text, piece by piece. */
  text: z.string(),
  model: z.string(),
  voice: z.optional(z.string()),
  format: z.optional(z.string()),
  speed: z.optional(z.number()),
  pieces: z.number(),
  /** Absent when the last one let go. */
  owner: z.optional(Owner),
});
type Note = z.output<typeof Note>;

export interface KeptPieces {
  readonly folder: string;
  /** Where the sound of a piece is, or goes. */
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
  /** What it left of other speech may go; what it left of this is gone on with. */
  readonly force: boolean;
}

/**
 * Opens the folder, or makes it.
 * @throws LocalFileError when it cannot be made, another svc works in it, or it holds pieces that
 * were paid for and `resume` does not ask for them; UsageError when those are of other speech.
 */
export async function keptPieces(
  folder: string,
  order: Order,
  keeping: Keeping,
): Promise<KeptPieces> {
  await madeFolder(folder);
  const { clock, signal } = keeping;
  const lock = join(folder, 'lock');
  const owner = await newOwner();
  const note: Note = { ...factsOf(order), owner };
  try {
    await withLock(lock, { clock, signal }, async () => {
      const found = await readNote(folder);
      if (found) await refuseOther(folder, { found, note, keeping });
      else await refuseUnknown(folder, keeping);
      await writeNote(folder, note);
    });
  } catch (error) {
    disown(owner);
    throw fileTrouble(error, `cannot write in ${folder}`);
  }
  const extension = order.format ?? 'audio';
  const path = (index: number) =>
    join(folder, `${String(index + 1).padStart(4, '0')}.${extension}`);
  const has = (index: number) => isFile(path(index));
  const count = async () => {
    const all = await Promise.all(order.pieces.map((_, index) => has(index)));
    return all.filter(Boolean).length;
  };
  const remove = async () => {
    disown(owner);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    folder,
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

function factsOf({ pieces, model, voice, format, speed }: Order): Note {
  const text = createHash('sha256').update(JSON.stringify(pieces)).digest('hex');
  return { svc: 'pieces of speech', text, model, voice, format, speed, pieces: pieces.length };
}

async function madeFolder(folder: string): Promise<void> {
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
    hint: 'move it away, or choose another name with -o',
  });
}

interface Met {
  readonly found: Note;
  readonly note: Note;
  readonly keeping: Keeping;
}

/** What an earlier run left may be paid for: it is never dropped, or used, unasked. */
async function refuseOther(folder: string, { found, note, keeping }: Met): Promise<void> {
  if (!(await isGone(found.owner))) {
    throw new LocalFileError(`another svc is speaking into ${folder}`, {
      code: 'in_use',
      hint: 'wait for it, or choose another name with -o',
    });
  }
  const differing = (['text', 'model', 'voice', 'format', 'speed'] as const).filter(
    (fact) => found[fact] !== note[fact],
  );
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
      hint: 'go on with them: --resume; or remove them, and speak it all anew',
    });
  }
  throw new UsageError(`the pieces in ${folder} are of another ${differing.join(' and ')}`, {
    code: 'other_pieces',
    hint: 'ask for the same as before, or choose another name with -o; --force alone drops them',
  });
}

/** Without its note nobody knows what the pieces say. */
async function refuseUnknown(folder: string, { resume, force }: Keeping): Promise<void> {
  const kept = await wholePieces(folder);
  if (kept === 0) return;
  if (force && !resume) return clear(folder);
  throw new LocalFileError(`${folder} holds pieces, and what says of what is damaged`, {
    code: 'pieces_kept',
    hint: 'move it away, or choose another name with -o',
  });
}

const noteName = 'speech.json';

async function readNote(folder: string): Promise<Note | undefined> {
  try {
    const parsed = Note.safeParse(JSON.parse(await readFile(join(folder, noteName), 'utf8')));
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
