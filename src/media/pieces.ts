/** The finished pieces of long work, kept in a folder until complete: each is paid for once. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../context.js';
import { Incomplete, LocalFileError, OutcomeUnknown, SvcError, UsageError } from '../errors.js';
import { failing, fileTrouble } from '../files/file-trouble.js';
import { createFolder } from '../files/target.js';
import { readOwnJson, syncFolder } from '../lib/own-file.js';
import { replaceFile } from '../lib/replace-file.js';
import { withLock } from '../state/lock.js';

const Note = z.object({
  svc: z.literal('kept pieces'),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  pieces: z.number(),
});

export interface Pieces {
  readonly folder: string;
  /** Pieces of other facts are never used. */
  readonly facts: Readonly<Record<string, string | number | undefined>>;
  readonly count: number;
  readonly extension: string;
  readonly resume: boolean;
  /** Discard pieces of other work; resume pieces of this. */
  readonly force: boolean;
  /** The command that resumes: `svc speak … --resume`; undefined where every repetition does. */
  readonly command: string | undefined;
  /** Another way out, to end a hint with: `, or choose another name with -o`. */
  readonly orElse: string;
}

const noteName = 'pieces.json';
const pieceName = /^(\d{4,})\.[a-z0-9]+$/;

export interface SavedPieces {
  /** The indexes, from 0, of the complete ones. */
  readonly there: Set<number>;
  readonly path: (index: number) => string;
}

export async function writeWhole(path: string, text: string): Promise<void> {
  const fail = failing(`cannot write ${path}`);
  await writeFile(`${path}.new`, text, { flush: true }).catch(fail);
  await replaceFile(`${path}.new`, path).catch(fail);
  syncFolder(dirname(path));
}

/** Undefined when there is nothing, or it is damaged. @throws LocalFileError */
export function readSaved<Shape extends z.ZodMiniType>(
  schema: Shape,
  path: string,
  named = path,
): z.output<Shape> | undefined {
  try {
    return readOwnJson(schema, path);
  } catch (error) {
    throw fileTrouble(error, `cannot read ${named}`);
  }
}

/** Removes the folder after the work, or when it is empty. @throws LocalFileError; UsageError. */
export async function withPieces<Result>(
  context: Context,
  pieces: Pieces,
  work: (saved: SavedPieces) => Promise<Result>,
): Promise<Result> {
  const { extension, folder, orElse } = pieces;
  const { clock, signal } = context;
  await makeFolder(pieces);
  let there: Set<number> | undefined;
  try {
    // Held until the end: the system releases it when the process dies.
    const lock = { clock, signal, patienceMs: 0 };
    const result = await withLock(join(folder, 'lock'), lock, async () => {
      there = await begin(pieces);
      const path = (index: number) =>
        join(folder, `${String(index + 1).padStart(4, '0')}.${extension}`);
      const saved = { there, path };
      return withWayToResume(context, pieces, there, () => work(saved));
    });
    const fail = failing(`cannot remove ${folder}`);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(fail);
    return result;
  } catch (error) {
    if (there?.size === 0) await rm(folder, { recursive: true }).catch(() => undefined);
    if (there || !(error instanceof LocalFileError) || error.code !== 'locked') throw error;
    throw new LocalFileError(`another svc is writing to ${folder}`, {
      code: 'in_use',
      hint: `wait for it${orElse}`,
    });
  }
}

async function makeFolder({ folder, orElse }: Pieces): Promise<void> {
  await createFolder(folder);
  const names = await readdir(folder).catch(failing(`cannot write in ${folder}`));
  if (names.length === 0 || names.includes(noteName) || names.includes('lock')) return;
  throw new LocalFileError(`${folder} exists and was not created by svc`, {
    code: 'file_exists',
    hint: `move it away${orElse}`,
  });
}

/** The pieces of an earlier run, which may be paid for: only --force discards them. */
async function begin(pieces: Pieces): Promise<Set<number>> {
  const { count, folder, facts, force, resume } = pieces;
  const earlier = readSaved(Note, join(folder, noteName), folder);
  const names = await readdir(folder);
  const there = names.flatMap((name) => pieceName.exec(name)?.[1] ?? []);
  const differing = Object.keys(facts).filter((name) => earlier?.facts[name] !== facts[name]);
  const isSame = earlier !== undefined && differing.length === 0;
  const isDropped = there.length === 0 || (force && !resume && !isSame);
  // Repeating a command with --force means replacing the file, not paying again.
  if (!isDropped && !(isSame && (resume || force))) {
    throw unusable(pieces, there.length, earlier?.pieces, differing);
  }
  const old = isDropped ? names.filter((name) => name !== 'lock') : [];
  for (const name of old) await rm(join(folder, name), { force: true });
  const note = { svc: 'kept pieces', facts, pieces: count };
  await writeWhole(join(folder, noteName), `${JSON.stringify(note)}\n`);
  return new Set(isDropped ? [] : there.map((number) => Number(number) - 1));
}

function unusable(
  { folder, resume, orElse }: Pieces,
  saved: number,
  of: number | undefined,
  differing: readonly string[],
): LocalFileError | UsageError {
  const code = 'pieces_kept';
  if (of === undefined) {
    const hint = `move it away${orElse}`;
    const message = `${folder} contains pieces, but the note that identifies them is damaged`;
    return new LocalFileError(message, { code, hint });
  }
  if (!resume) {
    const hint = 'continue with --resume, or remove them and start over';
    const message = `${folder} contains ${saved} of ${of} paid pieces of an earlier run`;
    return new LocalFileError(message, { code, hint });
  }
  return new UsageError(`the pieces in ${folder} belong to another ${differing.join(' and ')}`, {
    code: 'other_pieces',
    hint: `repeat the earlier request${orElse}; --force discards them`,
  });
}

/** When the work ends early, the error, or stderr, says how to resume. */
async function withWayToResume<Result>(
  { out, signal, commandHint }: Context,
  { folder, count, command }: Pieces,
  there: ReadonlySet<number>,
  work: () => Promise<Result>,
): Promise<Result> {
  const nextStep = () => {
    if (command === undefined || there.size === 0) return undefined;
    const saved = `${there.size} of ${count} pieces are saved in ${folder}`;
    return `${saved}; continue with: \`${commandHint(command)}\``;
  };
  let isTold = false;
  // Now: an interruption does not wait for work in progress.
  const onInterrupt = () => {
    const words = nextStep();
    if (words !== undefined && !isTold) out.sentence(words);
    isTold = words !== undefined;
  };
  signal.addEventListener('abort', onInterrupt);
  try {
    return await work();
  } catch (error) {
    const words = nextStep();
    // More pieces may be complete by now.
    if (signal.aborted) onInterrupt();
    if (signal.aborted || words === undefined || !(error instanceof SvcError)) throw error;
    const { hint } = error;
    const details = { cause: error, hint: hint === undefined ? words : `${hint}; ${words}` };
    const Kind = [Incomplete, OutcomeUnknown, LocalFileError].find((one) => error instanceof one);
    if (Kind) throw new Kind(error.message, details);
    out.note(words);
    throw error;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
  }
}
