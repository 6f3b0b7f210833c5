/** What long work has brought so far, in a folder of its own: each piece is paid for once. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../cli/context.js';
import { Incomplete, LocalFileError, OutcomeUnknown, SvcError, UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { disown, isGone, newOwner, Owner } from '../files/owner.js';
import { readOwn } from '../lib/own-file.js';
import { withLock } from '../state/lock.js';

const Note = z.object({
  svc: z.literal('kept pieces'),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  pieces: z.number(),
  /** Absent when the last one let go. */
  owner: z.optional(Owner),
});
type Note = z.output<typeof Note>;

export interface Pieces {
  /** What the pieces belong to: those of other facts are never used. */
  readonly facts: Readonly<Record<string, string | number | undefined>>;
  readonly count: number;
  /** What the name of each ends in, without a dot. */
  readonly extension: string;
  /** Go on with what an earlier run left. */
  readonly resume: boolean;
  /** What it left of other work may go; what it left of this is gone on with. */
  readonly force: boolean;
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
  readonly #there = new Set<number>();

  private constructor(
    readonly folder: string,
    readonly total: number,
    private readonly extension: string,
    private readonly note: Note & { readonly owner: Owner },
  ) {}

  /** @throws LocalFileError, also for pieces not asked for; UsageError for those of other facts. */
  static async open(
    folder: string,
    pieces: Pieces,
    { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  ): Promise<KeptPieces> {
    const { count, extension } = pieces;
    const owner = await newOwner();
    const facts: Note['facts'] = {};
    for (const [name, fact] of Object.entries(pieces.facts)) {
      if (fact !== undefined) facts[name] = fact;
    }
    const note = { svc: 'kept pieces' as const, facts, pieces: count, owner };
    const kept = new KeptPieces(folder, count, extension, note);
    try {
      await makeFolder(folder, pieces.words.orElse);
      await withLock(join(folder, 'lock'), { clock, signal }, async () => {
        await makeUsable(folder, pieces);
        await kept.#write(note);
      });
      const names = new Set(await readdir(folder));
      for (let index = 0; index < count; index += 1) {
        if (names.has(kept.#name(index))) kept.#there.add(index);
      }
      return kept;
    } catch (error) {
      disown(owner);
      throw fileTrouble(error, `cannot write in ${folder}`);
    }
  }

  path(index: number): string {
    return join(this.folder, this.#name(index));
  }

  has(index: number): boolean {
    return this.#there.has(index);
  }

  add(index: number): void {
    this.#there.add(index);
  }

  get count(): number {
    return this.#there.size;
  }

  /** Others may go on with them; a folder without a whole piece goes. */
  async letGo(): Promise<void> {
    if (this.count === 0) return this.remove();
    disown(this.note.owner);
    await this.#write({ ...this.note, owner: undefined });
  }

  async remove(): Promise<void> {
    disown(this.note.owner);
    await rm(this.folder, { recursive: true, force: true }).catch((cause: unknown) => {
      throw fileTrouble(cause, `cannot remove ${this.folder}`);
    });
  }

  #name(index: number): string {
    return `${String(index + 1).padStart(4, '0')}.${this.extension}`;
  }

  async #write(note: Note): Promise<void> {
    const path = join(this.folder, noteName);
    await writeFile(`${path}.new`, `${JSON.stringify(note)}\n`);
    await rename(`${path}.new`, path);
  }
}

async function makeFolder(folder: string, orElse: string): Promise<void> {
  await mkdir(folder).catch((cause: unknown) => {
    if (codeOf(cause) !== 'EEXIST') throw fileTrouble(cause, `cannot make ${folder}`);
  });
  const names = await readdir(folder);
  if (names.length === 0 || names.includes(noteName) || names.includes('lock')) return;
  throw new LocalFileError(`${folder} is in the way: it is none of svc's`, {
    code: 'file_exists',
    hint: `move it away${orElse}`,
  });
}

/** What an earlier run left may be paid for: it is never dropped, or used, unasked. */
async function makeUsable(folder: string, pieces: Pieces): Promise<void> {
  const { facts, words, resume, force } = pieces;
  const found = readNote(folder);
  if (found && !(await isGone(found.owner))) {
    throw new LocalFileError(`another svc is ${words.doing} ${folder}`, {
      code: 'in_use',
      hint: `wait for it${words.orElse}`,
    });
  }
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

function readNote(folder: string): Note | undefined {
  try {
    return Note.safeParse(JSON.parse(readOwn(join(folder, noteName)))).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the pieces at its end; when it fails, says by which `command` to go on. */
export async function whileKept<Result>(
  { out, signal, commandHint }: Context,
  kept: KeptPieces,
  command: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  let isSaid = false;
  const wayOn = () => {
    if (command === undefined || kept.count === 0) return undefined;
    const pieces = `${kept.count} of ${kept.total} pieces are kept in ${kept.folder}`;
    return `${pieces}; go on with them: \`${commandHint(command)}\``;
  };
  // Said at once: whoever interrupts does not wait for what is under way to be put away.
  const onInterrupt = () => {
    const words = wayOn();
    if (words !== undefined && !isSaid) out.error(words);
    isSaid = words !== undefined;
  };
  signal.addEventListener('abort', onInterrupt);
  try {
    const result = await work();
    await kept.remove();
    return result;
  } catch (error) {
    await kept.letGo().catch(() => undefined);
    // What was under way may have become whole since.
    if (signal.aborted) onInterrupt();
    const hint = wayOn();
    throw signal.aborted || hint === undefined ? error : withWayOn(out, error, hint);
  } finally {
    signal.removeEventListener('abort', onInterrupt);
  }
}

function withWayOn(out: Context['out'], error: unknown, wayOn: string): unknown {
  if (!(error instanceof SvcError)) return error;
  const { code, hint } = error;
  const details = { code, cause: error, hint: hint === undefined ? wayOn : `${hint}; ${wayOn}` };
  const kinds = [Incomplete, OutcomeUnknown, LocalFileError];
  const Kind = kinds.find((one) => error instanceof one);
  if (Kind) return new Kind(error.message, details);
  out.note(wayOn);
  return error;
}
