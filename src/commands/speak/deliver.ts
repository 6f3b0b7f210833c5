/** Where speech goes: to stdout as it arrives, or to a file under its name when all of it is there. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Speech } from '../../api/audio.js';
import { mayBeCharged } from '../../api/failure.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, LocalFileError, UsageError } from '../../errors.js';
import { GrowingFile, temporaryFolder } from '../../files/growing-file.js';
import { withFiles, type OpenFile } from '../../files/named-file.js';
import { PartFile, type Renamed } from '../../files/part-file.js';
import { checkTarget, type Target } from '../../files/target.js';
import { progressWriter } from '../../jobs/job.js';
import { CannotJoin, Joiner, joinFiles } from '../../lib/audio/join.js';
import { span } from '../../lib/audio/source.js';
import { splitExtension } from '../../lib/file-name.js';
import { withPieces } from '../kept-pieces.js';
import { fileStem, fingerprint, sha256, type SpeakInput, type SpeakRequest } from './request.js';

export interface Speaking {
  readonly context: Context;
  readonly request: SpeakRequest;
  /** Asks for a piece; resolves when the answer begins. */
  readonly ask: (index: number, signal?: AbortSignal) => Promise<Speech>;
}

export interface Saved {
  readonly files: readonly { path: string; mediaType: string | undefined }[];
  /** How many pieces an earlier run had paid for. */
  readonly reused: number;
  /** Why there are several files, as the end of a sentence. */
  readonly apart?: string;
}

const chooseAnother = 'choose another --format, or a file for -o: there they are numbered';

/** @throws UsageError where it is not sure, before the first is paid for, that pieces can be joined. */
export function assertJoinable({ pieces, format }: SpeakRequest): void {
  if (pieces.length === 1) return;
  if (format === 'flac') {
    throw new UsageError('the pieces of a long text cannot be joined in flac', {
      code: 'not_joinable',
      hint: chooseAnother,
    });
  }
  if (format === undefined) {
    throw new UsageError('a long text on stdout needs --format: not every one can be joined', {
      code: 'no_format',
      hint: 'for example --format mp3',
    });
  }
}

/**
 * The next piece goes to a file meanwhile: no service would wait for the player of this one.
 * @throws as `speak` does, and Incomplete when it broke off.
 */
export async function speakToStdout({ context, request, ask }: Speaking): Promise<void> {
  const { out } = context;
  const { pieces, format } = request;
  if (pieces.length === 1) {
    await (await ask(0)).pipe((bytes) => out.bytes(bytes));
    return;
  }
  const folder = await temporaryFolder('speech');
  const broken = new AbortController();
  const signal = AbortSignal.any([context.signal, broken.signal]);
  // A player may take its time, but not that of a person who wants to leave.
  const stopped = once(context.signal, 'abort', { signal: broken.signal }).then(() => {
    throw context.signal.reason;
  });
  stopped.catch(() => undefined);
  const spools: GrowingFile[] = [];
  const joiner = new Joiner(format);
  const handOver = async (spool: GrowingFile, isLast: boolean) => {
    try {
      for await (const bytes of joiner.add(spool, isLast)) {
        await Promise.race([out.bytes(bytes), stopped]);
      }
      await spool.remove();
    } catch (error) {
      // Nobody can hear what comes after a piece that broke off.
      broken.abort(new Error('the piece before broke off'));
      throw error;
    }
  };
  try {
    await inTurn(pieces.keys(), async (index) => {
      // What cannot be kept is not paid for.
      const spool = await GrowingFile.create(join(folder, String(index)));
      spools.push(spool);
      const speech = await ask(index, signal);
      speech
        .pipe((bytes) => spool.append(bytes))
        .then(
          () => spool.finish(),
          (error: unknown) => spool.finish(error),
        );
      return () => handOver(spool, index === pieces.length - 1);
    });
  } catch (error) {
    if (!(error instanceof CannotJoin)) throw error;
    throw new Incomplete(`the pieces cannot be joined: ${error.message}`, {
      code: 'not_joinable',
      hint: chooseAnother,
    });
  } finally {
    broken.abort(new Error('the speech was given up'));
    for (const spool of spools) await spool.close();
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Two pieces at most are under way: the next is begun while the one before comes to its end. */
async function inTurn(
  indexes: Iterable<number>,
  begin: (index: number) => Promise<() => Promise<unknown>>,
): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  try {
    for (const index of indexes) {
      const end = await begin(index);
      await before;
      before = end();
      before.catch(() => undefined);
    }
  } finally {
    await before;
  }
}

/** Speaks into a file. @throws as `speak` does; LocalFileError; Incomplete when it broke off. */
export async function speakToFile(
  speaking: Speaking,
  target: Target,
  { resume = false, force = false }: SpeakInput['options'],
): Promise<Saved> {
  const { context, request } = speaking;
  const { pieces, model, voice, format, speed } = request;
  if (pieces.length === 1) {
    const end = await speakInto(target, speaking, 0);
    return { files: [absolute(await end())], reused: 0 };
  }
  // Where it is sure that there will be several files, their names are looked at first.
  if (format === 'flac') await numberedTargets(target, pieces.length);
  const path = target.kind === 'file' ? target.path : join(target.folder, fileStem(request));
  const about = {
    folder: `${path}.parts`,
    facts: { text: sha256(pieces), model, voice, format, speed },
    count: pieces.length,
    extension: format ?? 'audio',
    resume,
    force,
    command: 'svc speak … --resume',
    words: {
      doing: 'speaking into',
      anew: 'speak it all anew',
      orElse: ', or choose another name with -o',
    },
  };
  return withPieces(context, about, async (kept) => {
    const reused = kept.count;
    const all: Promise<unknown>[] = [];
    const missing = Array.from(pieces.keys()).filter((index) => !kept.has(index));
    await inTurn(missing, async (index) => {
      const place = { kind: 'file', path: kept.path(index), replace: true } as const;
      const end = await speakInto(place, speaking, index);
      const whole = end().then(() => kept.add(index));
      whole.catch(() => undefined);
      all.push(whole);
      return () => whole;
    }).finally(() => Promise.allSettled(all)); // What is under way is paid for: it is kept.
    const paths = Array.from(pieces.keys(), (index) => kept.path(index));
    const saved = await withFiles(paths, (files) => putTogether(speaking, files, target));
    return { ...saved, reused };
  });
}

/** Resolves when the answer begins. The file is opened first: what cannot be kept is not paid for. */
async function speakInto(target: Target, { context, request, ask }: Speaking, index: number) {
  const file = await openPart(target, request);
  const speech = await ask(index).catch(async (error: unknown) => {
    await file.abandon();
    throw error;
  });
  const { contentType } = speech;
  const written = file
    .fill({ contentType }, (take) => speech.pipe(take))
    .catch((error: unknown) => {
      speech.discard();
      if (error instanceof Incomplete && error.code === 'length_unknown') {
        progressWriter(context)(`what came is in ${file.partPath}`);
      }
      if (!(error instanceof LocalFileError)) throw error;
      const { code, hint, message } = error;
      const charged = `it ${mayBeCharged}`;
      const hints = hint === undefined ? charged : `${hint}; ${charged}`;
      throw new LocalFileError(message, { code, hint: hints, cause: error });
    });
  return () => written;
}

function openPart(target: Target, request: SpeakRequest): Promise<PartFile> {
  return PartFile.open(target, `speech ${fingerprint(request)}`);
}

/** As one file; where they cannot be joined each under a name of its own, while they stay kept. */
async function putTogether(
  { context, request }: Speaking,
  pieces: readonly OpenFile[],
  target: Target,
): Promise<Pick<Saved, 'files' | 'apart'>> {
  const joined = await joinFiles(pieces, request.format).catch((error: unknown) => {
    if (error instanceof CannotJoin) return error;
    throw error;
  });
  const isApart = joined instanceof CannotJoin;
  const contents = isApart ? pieces.map((piece) => () => span(piece, 0)) : [joined];
  const targets = isApart ? await numberedTargets(target, pieces.length) : [target];
  const files: Saved['files'][number][] = [];
  for (const [index, bytes] of contents.entries()) {
    const part = await openPart(targets[index] ?? target, request);
    const file = await part.fill({}, async (take) => {
      for await (const piece of bytes()) {
        context.signal.throwIfAborted();
        await take(piece);
      }
    });
    files.push(absolute(file));
  }
  return { files, ...(isApart ? { apart: joined.message } : {}) };
}

/** Where each of several pieces goes, `book-03.flac`: all names are looked at before one is given. */
async function numberedTargets(target: Target, count: number): Promise<Target[]> {
  const targets = Array.from({ length: count }, (_, index): Target => {
    const number = String(index + 1).padStart(String(count).length, '0');
    const withNumber = (name: string) => {
      const [stem, extension] = splitExtension(name);
      return `${stem}-${number}${extension}`;
    };
    if (target.kind === 'folder') {
      return { ...target, name: (extension) => withNumber(target.name(extension)) };
    }
    const { path } = target;
    return { ...target, path: join(dirname(path), withNumber(basename(path))) };
  });
  for (const one of targets) await checkTarget(one);
  return targets;
}

function absolute({ path, mediaType }: Renamed) {
  return { path: resolve(path), mediaType };
}
