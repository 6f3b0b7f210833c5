/** Speech to stdout, as it arrives. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../cli/context.js';
import { Incomplete, UsageError } from '../../errors.js';
import { GrowingFile, temporaryFolder } from '../../files/growing-file.js';
import { CannotJoin, joinableKind, Joiner } from '../../lib/audio/join.js';
import { exactly } from '../../lib/audio/source.js';
import { kindBytes } from '../../lib/file-kind.js';
import { bodyFor, type SpeakRequest } from './request.js';
import type { Ask, Progress } from './speak.js';

const chooseAnother = 'choose another --format, or a file for -o: there they are numbered';

/**
 * Whether several pieces can follow each other on stdout.
 * @throws UsageError when they cannot, or when that is not known before the first is paid for.
 */
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
 * Speaks to stdout, and gives the ids of the usage records.
 * @throws as `speak` does, and Incomplete when it broke off.
 */
export async function streamSpeech(
  context: Context,
  ask: Ask,
  request: SpeakRequest,
  progress: Progress,
): Promise<readonly (string | undefined)[]> {
  const [first = '', ...others] = request.pieces;
  if (others.length > 0) return streamPieces(context, ask, request, progress);
  const speech = await ask(bodyFor(request, first));
  await speech.pipe((bytes) => {
    progress.bytes(0, bytes.length);
    return context.out.bytes(bytes);
  });
  return [speech.generationId];
}

/**
 * The next piece is asked for while this one is handed over. What comes of it goes to a file in the
 * meantime: a player takes minutes for a piece, and no service would wait for it.
 */
async function streamPieces(
  context: Context,
  ask: Ask,
  request: SpeakRequest,
  progress: Progress,
): Promise<readonly (string | undefined)[]> {
  const { out } = context;
  const folder = await temporaryFolder('speech');
  const broken = new AbortController();
  const signal = AbortSignal.any([context.signal, broken.signal]);
  // A player may take its time, but not that of a person who wants to leave.
  const stopped = once(context.signal, 'abort', { signal: broken.signal }).then(() => {
    throw context.signal.reason;
  });
  stopped.catch(() => undefined);
  const generationIds: (string | undefined)[] = [];
  const spools: GrowingFile[] = [];
  let joiner: Joiner | undefined;
  let before: Promise<void> = Promise.resolve();
  const handOver = async (spool: GrowingFile, index: number) => {
    joiner ??= await joinerFor(spool, request);
    const isLast = index === request.pieces.length - 1;
    for await (const bytes of joiner.add(spool, { isLast })) {
      await Promise.race([out.bytes(bytes), stopped]);
    }
    await spool.remove();
  };
  try {
    for (const [index, piece] of request.pieces.entries()) {
      // What cannot be kept is not paid for.
      const spool = await GrowingFile.create(join(folder, String(index)));
      spools.push(spool);
      const speech = await ask(bodyFor(request, piece), signal);
      generationIds.push(speech.generationId);
      const filled = speech.pipe((bytes) => {
        progress.bytes(index, bytes.length);
        return spool.append(bytes);
      });
      // Whoever reads the file learns how it ended.
      filled.then(
        () => {
          spool.finish();
        },
        (error: unknown) => {
          spool.finish(error);
        },
      );
      await before;
      before = handOver(spool, index);
      // Nobody can hear what comes after a piece that broke off.
      before.catch(() => {
        broken.abort(new Error('the piece before broke off'));
      });
    }
    await before;
    return generationIds;
  } catch (error) {
    // The piece before may have more to say, and comes first.
    const first = await before.then(
      () => error,
      (earlier: unknown) => earlier,
    );
    if (!(first instanceof CannotJoin)) throw first;
    throw new Incomplete(`the pieces cannot be joined: ${first.message}`, {
      code: 'not_joinable',
      hint: chooseAnother,
    });
  } finally {
    broken.abort(new Error('the speech was given up'));
    for (const spool of spools) await spool.close();
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function joinerFor(spool: GrowingFile, { format }: SpeakRequest): Promise<Joiner> {
  const kind = joinableKind(await exactly(spool, 0, kindBytes), format === 'pcm');
  if (kind === undefined) throw new CannotJoin('their format does not allow it');
  return new Joiner(kind);
}
