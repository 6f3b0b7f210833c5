/** What long work has brought so far, in a folder of its own: each piece is paid for once. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../cli/context.js';
import { Incomplete, LocalFileError, OutcomeUnknown, SvcError, UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { readOwn } from '../lib/own-file.js';
import { withLock } from '../state/lock.js';

const Note = z.object({
  svc: z.literal('kept pieces'),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  pieces: z.number(),
});
type Note = z.output<typeof Note>;

export interface Pieces {
  readonly folder: string;
  /** What the pieces belong to: those of other facts are never used. */
  readonly facts: Readonly<Record<string, string | number | undefined>>;
  readonly count: number;
  /** What the name of each ends in, without a dot. */
  readonly extension: string;
  /** Go on with what an earlier run left. */
  readonly resume: boolean;
  /** What it left of other work may go; what it left of this is gone on with. */
  readonly force: boolean;
  /** That goes on with them: `svc speak … --resume`; undefined where any does. */
  readonly command: string | undefined;
  readonly words: {
    /** What svc does with the folder: `speaking into`. */
    readonly doing: string;
    /** How to have all of it once more: `speak it all anew`. */
    readonly anew: string;
    /** What else than waiting helps: `, or choose another name with -o`. */
    readonly orElse: string;
  };
}

const noteName = 'pieces.json';
const pieceName = /^(\d{4,})\.[a-z0-9]+$/;

export class KeptPieces {
  /** Numbers, from 0, of those that are there, whole. */
  readonly there = new Set<number>();
  isOpen = false;

  constructor(private readonly pieces: Pieces) {}

  path(index: number): string {
    const { folder, extension } = this.pieces;
    return join(folder, `${String(index + 1).padStart(4, '0')}.${extension}`);
  }

  /** Keeps a piece of text. @throws LocalFileError */
  async write(index: number, text: string): Promise<void> {
    await writeWhole(this.path(index), text);
    this.there.add(index);
  }

  /** Begins with what an earlier run left of the same. @throws LocalFileError, UsageError */
  async open(): Promise<void> {
    const { folder, facts, count } = this.pieces;
    await makeUsable(this.pieces);
    const known: Note['facts'] = {};
    for (const [name, fact] of Object.entries(facts)) if (fact !== undefined) known[name] = fact;
    const note = { svc: 'kept pieces', facts: known, pieces: count } satisfies Note;
    await writeWhole(join(folder, noteName), `${JSON.stringify(note)}\n`);
    for (const name of await readdir(folder)) {
      const number = pieceName.exec(name)?.[1];
      if (number !== undefined) this.there.add(Number(number) - 1);
    }
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  try {
    await writeFile(`${path}.new`, text, { flush: true });
    await rename(`${path}.new`, path);
  } catch (cause) {
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}

async function makeFolder({ folder, words }: Pieces): Promise<void> {
  await mkdir(folder).catch((cause: unknown) => {
    if (codeOf(cause) !== 'EEXIST') throw fileTrouble(cause, `cannot make ${folder}`);
  });
  const names = await readdir(folder).catch((cause: unknown) => {
    throw fileTrouble(cause, `cannot write in ${folder}`);
  });
  if (names.length === 0 || names.includes(noteName) || names.includes('lock')) return;
  throw new LocalFileError(`${folder} is in the way: it is none of svc's`, {
    code: 'file_exists',
    hint: `move it away${words.orElse}`,
  });
}

/** What an earlier run left may be paid for: it is never dropped, or used, unasked. */
async function makeUsable({ folder, facts, words, resume, force }: Pieces): Promise<void> {
  const found = readKept(Note, join(folder, noteName), folder);
  const names = await readdir(folder);
  const kept = names.filter((name) => pieceName.test(name)).length;
  const differing = Object.keys(facts).filter((name) => found?.facts[name] !== facts[name]);
  const isOther = !found || differing.length > 0;
  if (kept === 0 || (force && !resume && isOther)) {
    const old = names.filter((name) => name !== 'lock');
    for (const name of old) await rm(join(folder, name), { force: true });
    return;
  }
  if (!found) {
    throw new LocalFileError(`${folder} holds pieces, and what says of what is damaged`, {
      code: 'pieces_kept',
      hint: `move it away${words.orElse}`,
    });
  }
  // Whoever repeats a line with --force wants the file replaced, not to pay again.
  if (!isOther && (resume || force)) return;
  if (!resume) {
    throw new LocalFileError(
      `${folder} holds ${kept} of ${found.pieces} pieces of an earlier run, paid for`,
      {
        code: 'pieces_kept',
        hint: `go on with them: --resume; or remove them, and ${words.anew}`,
      },
    );
  }
  throw new UsageError(`the pieces in ${folder} are of another ${differing.join(' and ')}`, {
    code: 'other_pieces',
    hint: `ask for the same as before${words.orElse}; --force alone drops them`,
  });
}

/** What svc wrote there; undefined when there is nothing, or it is damaged. @throws LocalFileError */
export function readKept<Shape extends z.ZodMiniType>(
  schema: Shape,
  path: string,
  named = path,
): z.output<Shape> | undefined {
  try {
    return schema.safeParse(JSON.parse(readOwn(path))).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw fileTrouble(error, `cannot read ${named}`);
  }
}

/**
 * Does the work in the folder of its pieces, which goes when it is done or nothing is in it.
 * @throws LocalFileError, also for pieces that were not asked for, or that another svc is at;
 * UsageError for those of other facts; what the work throws, with how to go on in its hint.
 */
export async function withPieces<Result>(
  context: Context,
  pieces: Pieces,
  work: (kept: KeptPieces) => Promise<Result>,
): Promise<Result> {
  const { folder, words } = pieces;
  const { clock, signal } = context;
  const kept = new KeptPieces(pieces);
  await makeFolder(pieces);
  // Held until the end: the system takes it back from a process that is killed.
  const lock = { clock, signal, patienceMs: 0 };
  try {
    const result = await withLock(join(folder, 'lock'), lock, async () => {
      await kept.open();
      kept.isOpen = true;
      return whileKept(context, pieces, kept, () => work(kept));
    });
    await rm(folder, { recursive: true, force: true }).catch((cause: unknown) => {
      throw fileTrouble(cause, `cannot remove ${folder}`);
    });
    return result;
  } catch (error) {
    if (kept.isOpen && kept.there.size === 0) {
      await rm(folder, { recursive: true }).catch(() => undefined);
    }
    if (kept.isOpen || !(error instanceof LocalFileError) || error.code !== 'locked') throw error;
    throw new LocalFileError(`another svc is ${words.doing} ${folder}`, {
      code: 'in_use',
      hint: `wait for it${words.orElse}`,
    });
  }
}

/** However the work ends early, the person is told how to go on. */
async function whileKept<Result>(
  { out, signal, commandHint }: Context,
  { folder, count, command }: Pieces,
  kept: KeptPieces,
  work: () => Promise<Result>,
): Promise<Result> {
  let isSaid = false;
  const wayOn = () => {
    if (command === undefined || kept.there.size === 0) return undefined;
    const there = `${kept.there.size} of ${count} pieces are kept in ${folder}`;
    return `${there}; go on with them: \`${commandHint(command)}\``;
  };
  // Said at once: whoever interrupts does not wait for what is under way to be put away.
  const onInterrupt = () => {
    const words = wayOn();
    if (words !== undefined && !isSaid) out.error(words);
    isSaid = words !== undefined;
  };
  signal.addEventListener('abort', onInterrupt);
  try {
    return await work();
  } catch (error) {
    // What was under way may have become whole since.
    if (signal.aborted) onInterrupt();
    const onward = wayOn();
    if (signal.aborted || onward === undefined || !(error instanceof SvcError)) throw error;
    const { code, hint, message } = error;
    const Kind = [Incomplete, OutcomeUnknown, LocalFileError].find((one) => error instanceof one);
    const hints = hint === undefined ? onward : `${hint}; ${onward}`;
    if (Kind) throw new Kind(message, { code, cause: error, hint: hints });
    out.note(onward);
    throw error;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
  }
}
