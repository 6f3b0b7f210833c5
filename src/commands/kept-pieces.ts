/**
 * What long work has brought so far, piece by piece, in a folder of its own: each piece is paid for
 * once, whatever happens before all are there.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../cli/context.js';
import { Incomplete, LocalFileError, OutcomeUnknown, SvcError, UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { disown, isGone, newOwner, Owner } from '../files/owner.js';
import { readOwn } from '../lib/own-file.js';
import { withLock, type LockOptions } from '../state/lock.js';

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

export interface Keeping extends LockOptions {
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
  const owner = await newOwner();
  const note = noteOf(pieces, owner);
  try {
    await withLock(join(folder, 'lock'), keeping, async () => {
      await assertUsable(folder, pieces, keeping);
      await writeNote(folder, note);
    });
  } catch (error) {
    disown(owner);
    throw fileTrouble(error, `cannot write in ${folder}`);
  }
  const { count: total, extension } = pieces;
  const path = (index: number) =>
    join(folder, `${String(index + 1).padStart(4, '0')}.${extension}`);
  const has = (index: number) =>
    stat(path(index)).then(
      (found) => found.isFile(),
      () => false,
    );
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

/** What an earlier run left may be paid for: it is never dropped, or used, unasked. */
async function assertUsable(
  folder: string,
  { facts, words }: Pieces,
  { resume, force }: Keeping,
): Promise<void> {
  const found = readNote(folder);
  if (found && !(await isGone(found.owner))) {
    throw new LocalFileError(`another svc is ${words.doing} ${folder}`, {
      code: 'in_use',
      hint: orElsewhere('wait for it', words),
    });
  }
  const names = await readdir(folder);
  const kept = names.filter((name) => pieceName.test(name)).length;
  const differing = Object.keys(facts).filter((name) => found?.facts[name] !== facts[name]);
  const isOther = !found || differing.length > 0;
  if (!found && kept === 0) return;
  if (kept === 0 || (force && !resume && isOther)) {
    for (const name of names) {
      // That one is held.
      if (name !== 'lock') await rm(join(folder, name), { force: true });
    }
    return;
  }
  if (!found) {
    throw new LocalFileError(`${folder} holds pieces, and what says of what is damaged`, {
      code: 'pieces_kept',
      hint: orElsewhere('move it away', words),
    });
  }
  // Whoever repeats a line with --force wants the file replaced, not to pay again.
  if (!isOther && (resume || force)) return;
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

export interface KeptWork {
  readonly kept: KeptPieces;
  /** What goes on with it: `svc speak … --resume`. */
  readonly command: string;
  /** Called before a person who interrupts is told. */
  readonly onAbort?: () => void;
}

/** What is needed to tell a person. */
interface Teller extends Pick<Context, 'signal' | 'commandHint'> {
  readonly out: Pick<Context['out'], 'error' | 'note'>;
}

/**
 * Does work whose pieces are kept: however it ends early, the person is told how to go on. It calls `onWhole` for each piece that it adds, and removes them at its end.
 * @throws what the work throws, with how to go on in its hint.
 */
export async function whileKept<Result>(
  { out, signal, commandHint }: Teller,
  { kept, command, onAbort }: KeptWork,
  work: (onWhole: () => void) => Promise<Result>,
): Promise<Result> {
  let here = await kept.count();
  let isSaid = false;
  const wayOn = () => {
    const pieces = `${String(here)} of ${String(kept.total)} pieces are kept in ${kept.folder}`;
    return `${pieces}; go on with them: \`${commandHint(command)}\``;
  };
  // Said at once: whoever interrupts does not wait for what is under way to be put away.
  const tell = () => {
    if (here > 0 && !isSaid) out.error(wayOn());
    isSaid = here > 0;
  };
  const onInterrupt = () => {
    onAbort?.();
    tell();
  };
  signal.addEventListener('abort', onInterrupt);
  try {
    return await work(() => {
      here += 1;
    });
  } catch (error) {
    await kept.letGo().catch(() => undefined);
    if (!signal.aborted) throw here === 0 ? error : withWayOn(out, error, wayOn());
    // What was under way may have become whole since.
    tell();
    throw error;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
  }
}

function withWayOn(out: Teller['out'], error: unknown, wayOn: string): unknown {
  if (!(error instanceof SvcError)) return error;
  const hint = error.hint === undefined ? wayOn : `${error.hint}; ${wayOn}`;
  const details = { code: error.code, cause: error, hint };
  if (error instanceof Incomplete) return new Incomplete(error.message, details);
  if (error instanceof OutcomeUnknown) return new OutcomeUnknown(error.message, details);
  if (error instanceof LocalFileError) return new LocalFileError(error.message, details);
  out.note(wayOn);
  return error;
}
