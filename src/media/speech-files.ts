/** Where speech goes: to stdout as it arrives, or to a file that gets its name when complete. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Speech } from '../api/audio.js';
import { mayBeCharged } from '../api/failure.js';
import type { Context } from '../context.js';
import { Incomplete, LocalFileError, UsageError, type SvcError } from '../errors.js';
import { GrowingFile, temporaryFolder } from '../files/growing-file.js';
import { withFiles, type OpenFile } from '../files/named-file.js';
import { holdName, PartFile, type Renamed } from '../files/part-file.js';
import { checkTarget, type Target } from '../files/target.js';
import { progressWriter } from '../jobs/job.js';
import { CannotJoin, joinFiles, joiner } from '../lib/audio/join.js';
import { span } from '../lib/audio/source.js';
import { numbered } from '../lib/file-name.js';
import { withPieces, type SavedPieces } from './pieces.js';
import { fileStem, fingerprint, sha256, type SpeakRequest } from './speech.js';

export interface Speaking {
  readonly context: Context;
  readonly request: SpeakRequest;
  /** Requests a piece; resolves when the answer starts. */
  readonly ask: (index: number, signal?: AbortSignal) => Promise<Speech>;
}

export interface SavedSpeech {
  readonly files: readonly { path: string; mediaType: string | undefined }[];
  readonly reused: number;
  /** Why there are several files, as the end of a sentence. */
  readonly apart?: string;
}

/** @throws UsageError, before the first is paid for, unless the pieces can certainly be joined. */
export function assertJoinable({ pieces, format }: SpeakRequest): void {
  if (pieces.length === 1 || (format !== undefined && format !== 'flac')) return;
  if (format) throw notJoinable(UsageError, 'the pieces of a long text cannot be joined in flac');
  throw new UsageError('a long text on stdout needs --format: not all formats can be joined', {
    code: 'no_format',
    hint: 'for example --format mp3',
  });
}

function notJoinable(Kind: typeof Incomplete | typeof UsageError, message: string): SvcError {
  const hint = 'choose another --format, or write numbered files with -o';
  return new Kind(message, { code: 'not_joinable', hint });
}

/** The next piece waits in a file: no service would wait for the player of this one. */
export async function speakToStdout({ context, request, ask }: Speaking): Promise<SavedSpeech> {
  const { out } = context;
  const { pieces, format } = request;
  const saved = { files: [], reused: 0 };
  if (pieces.length === 1) {
    await (await ask(0)).pipe((bytes) => out.bytes(bytes));
    await out.flush();
    return saved;
  }
  const folder = await temporaryFolder('speech');
  const broken = new AbortController();
  const signal = AbortSignal.any([context.signal, broken.signal]);
  // A slow player must not delay an interruption.
  const stopped = once(context.signal, 'abort', { signal: broken.signal }).then(() => {
    throw context.signal.reason;
  });
  stopped.catch(() => undefined);
  const spools: GrowingFile[] = [];
  const add = joiner(format);
  const handOver = async (spool: GrowingFile, isLast: boolean) => {
    try {
      for await (const bytes of add(spool, isLast)) {
        await Promise.race([out.bytes(bytes), stopped]);
      }
      await spool.remove();
    } catch (error) {
      // Audio after an incomplete piece is useless.
      broken.abort(new Error('an earlier piece was cut off'));
      if (!(error instanceof CannotJoin)) throw error;
      throw notJoinable(Incomplete, `the pieces cannot be joined: ${error.message}`);
    }
  };
  let before = Promise.resolve();
  try {
    for (const index of pieces.keys()) {
      // What cannot be stored is not paid for.
      const spool = await GrowingFile.create(join(folder, String(index)));
      spools.push(spool);
      const speech = await ask(index, signal);
      speech
        .pipe((bytes) => spool.append(bytes))
        .then(
          () => spool.finish(),
          (error: unknown) => spool.finish(error),
        );
      await before;
      before = handOver(spool, index === pieces.length - 1);
      before.catch(() => undefined);
    }
  } finally {
    await before.finally(async () => {
      broken.abort(new Error('the speech was abandoned'));
      for (const spool of spools) await spool.close();
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    });
  }
  await out.flush();
  return saved;
}

export async function speakToFile(
  speaking: Speaking,
  target: Target,
  { resume = false, force = false }: { readonly resume?: boolean; readonly force?: boolean },
): Promise<SavedSpeech> {
  const { context, request } = speaking;
  const { pieces, model, voice, format, speed } = request;
  if (pieces.length === 1) {
    const { whole } = await speakInto(target, speaking, 0);
    return { files: [absolute(await whole)], reused: 0 };
  }
  // Where there will certainly be several files, their names are checked first.
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
    orElse: ', or choose another name with -o',
  };
  const work = async (stored: SavedPieces, to: Target) => {
    const reused = stored.there.size;
    const all: Promise<unknown>[] = [];
    try {
      for (const index of pieces.keys()) {
        if (stored.there.has(index)) continue;
        const place = { kind: 'file', path: stored.path(index), replace: true } as const;
        const { whole } = await speakInto(place, speaking, index);
        all.push(whole.then(() => stored.there.add(index)));
        all.at(-1)?.catch(() => undefined);
        // At most two are in progress: the next starts while the previous one finishes.
        await all.at(-2);
      }
    } finally {
      // What is in progress is paid for, so it is kept. The first failure is reported.
      await Promise.allSettled(all);
      await Promise.all(all);
    }
    const paths = Array.from(pieces.keys(), (index) => stored.path(index));
    const saved = await withFiles(paths, (files) => putTogether(speaking, files, to));
    return { ...saved, reused };
  };
  return holdName(target, (to) => withPieces(context, about, (stored) => work(stored, to)));
}

/** The file is opened first: what cannot be stored is not paid for. */
async function speakInto(target: Target, { context, request, ask }: Speaking, index: number) {
  const file = await openPart(target, request);
  const speech = await file.orAbandon(() => ask(index));
  const fill = file.fill({ contentType: speech.contentType }, (take) => speech.pipe(take));
  const whole = fill.catch((error: unknown) => {
    speech.discard();
    if (error instanceof Incomplete && error.code === 'length_unknown') {
      progressWriter(context)(`the part that arrived is in ${file.partPath}`);
    }
    if (!(error instanceof LocalFileError)) throw error;
    const { hint, message } = error;
    const charged = `it ${mayBeCharged}`;
    const hints = hint === undefined ? charged : `${hint}; ${charged}`;
    throw new LocalFileError(message, { hint: hints, cause: error });
  });
  return { whole };
}

function openPart(target: Target, request: SpeakRequest): Promise<PartFile> {
  return PartFile.open(target, `speech ${fingerprint(request)}`);
}

/** As one file, or, where they cannot be joined, each under its own name. */
async function putTogether(
  { context, request }: Speaking,
  pieces: readonly OpenFile[],
  target: Target,
): Promise<Pick<SavedSpeech, 'files' | 'apart'>> {
  const joined = await joinFiles(pieces, request.format).catch((error: unknown) => {
    if (error instanceof CannotJoin) return error;
    throw error;
  });
  const isApart = joined instanceof CannotJoin;
  const contents = isApart ? pieces.map((piece) => () => span(piece, 0)) : [joined];
  const targets = isApart ? await numberedTargets(target, pieces.length) : [target];
  const files: SavedSpeech['files'][number][] = [];
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

/** `book-03.flac`; all names are checked before one is used. */
async function numberedTargets(target: Target, count: number): Promise<Target[]> {
  const targets = Array.from({ length: count }, (_, index): Target => {
    const number = String(index + 1).padStart(String(count).length, '0');
    if (target.kind === 'file') return { ...target, path: numbered(target.path, number) };
    return { ...target, name: (extension) => numbered(target.name(extension), number) };
  });
  for (const one of targets) await checkTarget(one);
  return targets;
}

function absolute({ path, mediaType }: Renamed) {
  return { path: resolve(path), mediaType };
}
