/** The finished pieces of long work, kept in a folder until all are there: each is paid for once. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../cli/context.js';
import { Incomplete, LocalFileError, OutcomeUnknown, SvcError, UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { createFolder } from '../files/target.js';
import { readOwn } from '../lib/own-file.js';
import { withLock } from '../state/lock.js';

const Note = z.object({
  svc: z.literal('kept pieces'),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  pieces: z.number(),
});

export interface Pieces {
  readonly folder: string;
  /** What the pieces belong to: pieces of other facts are never used. */
  readonly facts: Readonly<Record<string, string | number | undefined>>;
  readonly count: number;
  /** What the name of each ends in, without a dot. */
  readonly extension: string;
  /** Resume what an earlier run left. */
  readonly resume: boolean;
  /** Drop what it left of other work; resume what it left of this. */
  readonly force: boolean;
  /** The command that resumes: `svc speak … --resume`; undefined where every repetition does. */
  readonly command: string | undefined;
  /** `speaking into` the folder, `speak it all anew`, and `, or choose another name with -o`. */
  readonly words: Readonly<Record<'doing' | 'anew' | 'orElse', string>>;
}

const noteName = 'pieces.json';
const pieceName = /^(\d{4,})\.[a-z0-9]+$/;

export interface KeptPieces {
  /** Numbers, from 0, of those that are there, whole. */
  readonly there: Set<number>;
  readonly path: (index: number) => string;
}

/** @throws LocalFileError */
export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    await writeFile(`${path}.new`, text, { flush: true });
    await rename(`${path}.new`, path);
  } catch (cause) {
    throw fileTrouble(cause, `cannot write ${path}`);
  }
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
 * UsageError for those of other facts; what the work throws, with how to resume in its hint.
 */
export async function withPieces<Result>(
  context: Context,
  pieces: Pieces,
  work: (kept: KeptPieces) => Promise<Result>,
): Promise<Result> {
  const { extension, folder, words } = pieces;
  const { clock, signal } = context;
  await makeFolder(pieces);
  let there: Set<number> | undefined;
  try {
    // Held until the end: the system takes it back from a process that is killed.
    const lock = { clock, signal, patienceMs: 0 };
    const result = await withLock(join(folder, 'lock'), lock, async () => {
      there = await begin(pieces);
      const path = (index: number) =>
        join(folder, `${String(index + 1).padStart(4, '0')}.${extension}`);
      const kept = { there, path };
      return whileKept(context, pieces, there, () => work(kept));
    });
    await rm(folder, { recursive: true, force: true }).catch((cause: unknown) => {
      throw fileTrouble(cause, `cannot remove ${folder}`);
    });
    return result;
  } catch (error) {
    if (there?.size === 0) await rm(folder, { recursive: true }).catch(() => undefined);
    if (there || !(error instanceof LocalFileError) || error.code !== 'locked') throw error;
    throw new LocalFileError(`another svc is ${words.doing} ${folder}`, {
      code: 'in_use',
      hint: `wait for it${words.orElse}`,
    });
  }
}

async function makeFolder({ folder, words }: Pieces): Promise<void> {
  await createFolder(folder);
  const names = await readdir(folder).catch((cause: unknown) => {
    throw fileTrouble(cause, `cannot write in ${folder}`);
  });
  if (names.length === 0 || names.includes(noteName) || names.includes('lock')) return;
  throw new LocalFileError(`${folder} is in the way: it is none of svc's`, {
    code: 'file_exists',
    hint: `move it away${words.orElse}`,
  });
}

/** @returns what an earlier run left of the same, which may be paid for: it is never dropped unasked. */
async function begin(pieces: Pieces): Promise<Set<number>> {
  const { count, folder, facts, force, resume } = pieces;
  const found = readKept(Note, join(folder, noteName), folder);
  const names = await readdir(folder);
  const there = names.flatMap((name) => pieceName.exec(name)?.[1] ?? []);
  const differing = Object.keys(facts).filter((name) => found?.facts[name] !== facts[name]);
  const isSame = found !== undefined && differing.length === 0;
  const isDropped = there.length === 0 || (force && !resume && !isSame);
  // Repeating a command with --force means replacing the file, not paying again.
  if (!isDropped && !(isSame && (resume || force))) {
    throw notUsable(pieces, there.length, found?.pieces, differing);
  }
  const old = isDropped ? names.filter((name) => name !== 'lock') : [];
  for (const name of old) await rm(join(folder, name), { force: true });
  const note = { svc: 'kept pieces', facts, pieces: count };
  await writeWhole(join(folder, noteName), `${JSON.stringify(note)}\n`);
  return new Set(isDropped ? [] : there.map((number) => Number(number) - 1));
}

/** @param of how many pieces they are; undefined when that is not known. */
function notUsable(
  { folder, resume, words }: Pieces,
  kept: number,
  of: number | undefined,
  differing: readonly string[],
): LocalFileError | UsageError {
  const code = 'pieces_kept';
  if (of === undefined) {
    const hint = `move it away${words.orElse}`;
    const message = `${folder} holds pieces, and what says of what is damaged`;
    return new LocalFileError(message, { code, hint });
  }
  if (!resume) {
    const hint = `go on with them: --resume; or remove them, and ${words.anew}`;
    const message = `${folder} holds ${kept} of ${of} pieces of an earlier run, paid for`;
    return new LocalFileError(message, { code, hint });
  }
  return new UsageError(`the pieces in ${folder} are of another ${differing.join(' and ')}`, {
    code: 'other_pieces',
    hint: `ask for the same as before${words.orElse}; --force alone drops them`,
  });
}

/** When the work ends early, the error, or stderr, says how to resume. */
async function whileKept<Result>(
  { out, signal, commandHint }: Context,
  { folder, count, command }: Pieces,
  there: ReadonlySet<number>,
  work: () => Promise<Result>,
): Promise<Result> {
  const wayOn = () => {
    if (command === undefined || there.size === 0) return undefined;
    const kept = `${there.size} of ${count} pieces are kept in ${folder}`;
    return `${kept}; go on with them: \`${commandHint(command)}\``;
  };
  let isSaid = false;
  // At once: an interruption does not wait for work in progress.
  const onInterrupt = () => {
    const words = wayOn();
    if (words !== undefined && !isSaid) out.error(words);
    isSaid = words !== undefined;
  };
  signal.addEventListener('abort', onInterrupt);
  try {
    return await work();
  } catch (error) {
    const words = wayOn();
    // What was under way may have become whole since.
    if (signal.aborted) onInterrupt();
    if (signal.aborted || words === undefined || !(error instanceof SvcError)) throw error;
    const { code, hint } = error;
    const details = { code, cause: error, hint: hint === undefined ? words : `${hint}; ${words}` };
    const Kind = [Incomplete, OutcomeUnknown, LocalFileError].find((one) => error instanceof one);
    if (Kind) throw new Kind(error.message, details);
    out.note(words);
    throw error;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
  }
}
