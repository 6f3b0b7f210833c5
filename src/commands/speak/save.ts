/** Speech as a file: under its name only when all of it is there. */
import { createHash } from 'node:crypto';
import { resolve, basename, dirname, join } from 'node:path';
import { mayBeCharged } from '../../api/failure.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, LocalFileError } from '../../errors.js';
import { withFiles, type OpenFile } from '../../files/named-file.js';
import { PartFile, type Renamed } from '../../files/part-file.js';
import { secondName, giveName, checkTarget, type Target, targetFrom } from '../../files/target.js';
import {
  CannotJoin,
  joinableKind,
  joinFiles,
  type Joinable,
  type JoinedBytes,
} from '../../lib/audio/join.js';
import { exactly } from '../../lib/audio/source.js';
import { fileKindOf, kindBytes } from '../../lib/file-kind.js';
import { progressWriter } from '../../jobs/job.js';
import { keptPieces, type KeptPieces, type Pieces, whileKept } from '../kept-pieces.js';
import type { Ask, Progress } from './speak.js';
import { bodyFor, fingerprint, type SpeakRequest, type SpeakInput } from './request.js';
import { safeFileName, splitExtension } from '../../lib/file-name.js';
import type { Ledger } from '../../state/ledger.js';
import { checkForRun, type TakenName } from '../../jobs/destination.js';

interface Saving {
  readonly context: Context;
  readonly ask: Ask;
  readonly request: SpeakRequest;
  readonly outlet: Extract<Outlet, { kind: 'file' }>;
  readonly progress: Progress;
  readonly resume: boolean;
  readonly force: boolean;
}

export interface Saved {
  /** Absolute paths. */
  readonly files: readonly { path: string; mediaType: string | undefined }[];
  readonly generationIds: readonly (string | undefined)[];
  /** How many pieces an earlier run had paid for. */
  readonly reused: number;
  /** Why there are several files, as the end of a sentence. */
  readonly apart: string | undefined;
}

/** Speaks into a file. @throws as `speak` does; LocalFileError; Incomplete when it broke off. */
export async function saveSpeech(saving: Saving): Promise<Saved> {
  const [text = '', ...others] = saving.request.pieces;
  if (others.length > 0) return saveSeveral(saving);
  const { generationId, written } = await speakInto(saving.outlet.target, saving, 0, text);
  const files = [absolute(await written)];
  return { files, generationIds: [generationId], reused: 0, apart: undefined };
}

async function saveSeveral(saving: Saving): Promise<Saved> {
  const { context, request, outlet, resume, force, progress } = saving;
  const { clock, signal } = context;
  // Where it is sure that there will be several files, their names are looked at first.
  if (request.format === 'flac') await checkNumbered(outlet.target, request.pieces.length);
  const keeping = { clock, signal, resume, force };
  const kept = await keptPieces(outlet.partsFolder, piecesOf(request), keeping);
  const reused = await kept.count();
  const onAbort = () => {
    progress.stop();
  };
  const work = { kept, command: 'svc speak … --resume', onAbort };
  return whileKept(context, work, async (onWhole) => {
    const generationIds = await speakMissing(saving, kept, onWhole);
    const { files, apart } = await putTogether(saving, kept);
    await kept.remove();
    return { files: files.map(absolute), generationIds, reused, apart };
  });
}

/** What tells these pieces of speech from those of any other. */
function piecesOf({ pieces, model, voice, format, speed }: SpeakRequest): Pieces {
  const text = createHash('sha256').update(JSON.stringify(pieces)).digest('hex');
  return {
    facts: { text, model, voice, format, speed },
    count: pieces.length,
    extension: format ?? 'audio',
    words: {
      doing: 'speaking into',
      anew: 'speak it all anew',
      elsewhere: 'choose another name with -o',
    },
  };
}

/** Two at most are under way: the next is asked for while this one is written. */
async function speakMissing(
  saving: Saving,
  kept: KeptPieces,
  onWhole: () => void,
): Promise<(string | undefined)[]> {
  const generationIds: (string | undefined)[] = [];
  const all: Promise<unknown>[] = [];
  let before: Promise<unknown> = Promise.resolve();
  try {
    for (const [index, text] of saving.request.pieces.entries()) {
      if (await kept.has(index)) continue;
      const target = { kind: 'file', path: kept.path(index), replace: true } as const;
      const { generationId, written } = await speakInto(target, saving, index, text);
      generationIds.push(generationId);
      // Who waits for it comes later.
      written.then(onWhole, () => undefined);
      all.push(written);
      const last = before;
      before = Promise.all([last, written]);
      before.catch(() => undefined);
      await last;
    }
    await before;
    return generationIds;
  } catch (error) {
    // What is under way is paid for: it is kept.
    await Promise.allSettled(all);
    throw error;
  }
}

/**
 * Has one piece spoken into a file, which is opened first: what cannot be kept is not paid for.
 * Resolves when the answer begins; `written` rejects as `pipe` does.
 */
async function speakInto(
  target: Target,
  { context, ask, request, progress }: Saving,
  index: number,
  text: string,
) {
  const file = await openPart(target, request, context.clock);
  const speech = await ask(bodyFor(request, text)).catch(async (error: unknown) => {
    await file.abandon();
    throw error;
  });
  const written = file
    .fill({ contentType: speech.contentType }, (take) =>
      speech.pipe((bytes) => {
        progress.bytes(index, bytes.length);
        return take(bytes);
      }),
    )
    .catch((error: unknown) => {
      speech.discard();
      if (error instanceof Incomplete && error.code === 'length_unknown') {
        progressWriter(context)(`what came is in ${file.partPath}`);
      }
      if (!(error instanceof LocalFileError)) throw error;
      const hint = [...(error.hint === undefined ? [] : [error.hint]), `it ${mayBeCharged}`];
      throw new LocalFileError(error.message, {
        code: error.code,
        hint: hint.join('; '),
        cause: error,
      });
    });
  return { generationId: speech.generationId, written };
}

function openPart(
  target: Target,
  request: SpeakRequest,
  clock: Context['clock'],
): Promise<PartFile> {
  return PartFile.open(target, { sourceId: `speech ${fingerprint(request)}`, clock });
}

async function putTogether(saving: Saving, kept: KeptPieces) {
  const { context, request, outlet } = saving;
  const paths = request.pieces.map((_, index) => kept.path(index));
  return withFiles(paths, async (pieces) => {
    try {
      const bytes = await joinedBytes(pieces, request);
      const part = await openPart(outlet.target, request, context.clock);
      const file = await part.fill({}, async (take) => {
        for await (const piece of bytes()) {
          context.signal.throwIfAborted();
          await take(piece);
        }
      });
      return { files: [file], apart: undefined };
    } catch (error) {
      if (!(error instanceof CannotJoin)) throw error;
      const files = await numbered(pieces, paths, outlet.target);
      return { files, apart: error.message };
    }
  });
}

/** @throws CannotJoin before the first byte. */
async function joinedBytes(
  pieces: readonly OpenFile[],
  request: SpeakRequest,
): Promise<JoinedBytes> {
  const kinds = new Set<Joinable | undefined>();
  for (const piece of pieces) {
    kinds.add(joinableKind(await exactly(piece, 0, kindBytes), request.format === 'pcm'));
  }
  const [kind, ...others] = kinds;
  if (kind === undefined) {
    throw new CannotJoin(`one ${request.format ?? 'file'} after the other makes no valid file`);
  }
  if (others.length > 0) throw new CannotJoin('they came in different formats');
  return joinFiles(kind, pieces);
}

/**
 * Each piece under a name of its own; all names are looked at before the first is given. They stay
 * kept until all have theirs: whatever happens in between, none is paid for again.
 */
async function numbered(
  pieces: readonly OpenFile[],
  paths: readonly string[],
  target: Target,
): Promise<Renamed[]> {
  const targets = await checkNumbered(target, paths.length);
  const files: Renamed[] = [];
  for (const [index, path] of paths.entries()) {
    const [one, piece] = [targets[index], pieces[index]];
    if (!one || !piece) continue;
    const kind = fileKindOf(await exactly(piece, 0, kindBytes));
    const whole = await secondName(path);
    const named = await giveName(whole, one, kind?.extension);
    files.push({ path: named, mediaType: kind?.mediaType });
  }
  return files;
}

/** Where each piece goes, of several that cannot be joined: `book-03.flac`. */
async function checkNumbered(target: Target, count: number): Promise<Target[]> {
  const targets = Array.from({ length: count }, (_, index): Target => {
    const number = String(index + 1).padStart(String(count).length, '0');
    const withNumber = (name: string) => {
      const [stem, extension] = splitExtension(name);
      return `${stem}-${number}${extension}`;
    };
    if (target.kind === 'folder') {
      return { ...target, name: (extension) => withNumber(target.name(extension)) };
    }
    const { path, replace } = target;
    return { kind: 'file', path: join(dirname(path), withNumber(basename(path))), replace };
  });
  for (const one of targets) await checkTarget(one);
  return targets;
}

function absolute({ path, mediaType }: Renamed) {
  return { path: resolve(path), mediaType };
}

export type Outlet =
  | { readonly kind: 'stdout' }
  | {
      readonly kind: 'file';
      readonly target: Target;
      readonly taken: TakenName | undefined;
      /** Where the pieces of a long text are kept until it is whole. */
      readonly partsFolder: string;
    };

type Options = SpeakInput['options'];

/** @throws UsageError or LocalFileError when nothing could be written there. */
export async function outletFrom(
  request: SpeakRequest,
  options: Options,
  ledger: Ledger,
): Promise<Outlet> {
  const { output } = options;
  if (output === '-') return { kind: 'stdout' };
  const stem = nameFor(request);
  const name = (extension: string) => `${stem}.${extension}`;
  const place = await targetFrom(output, { replace: options.force === true });
  const isOne = request.pieces.length === 1;
  const taken = await checkForRun(place, isOne ? ledger : undefined);
  // Bare samples tell nothing: there the format that was asked for names them.
  const target = place.kind === 'file' ? place : { ...place, name, unknown: request.format };
  const path = target.kind === 'file' ? target.path : join(target.folder, stem);
  return { kind: 'file', target, taken, partsFolder: `${path}.parts` };
}

/** The same for the same speech, so that what was kept of it is found again. */
function nameFor(request: SpeakRequest): string {
  const model = request.model.replace(/[^A-Za-z0-9._-]+/g, '-');
  return safeFileName(`${model}-${fingerprint(request).slice(0, 8)}`) ?? 'speech';
}
