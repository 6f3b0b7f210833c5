/** Has the parts of a recording written down, one after the other. */
import { transcribe as ask, type Transcribed } from '../../api/audio.js';
import { newOnceKey, type OnceKey } from '../../api/idempotency.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, LocalFileError, SvcError } from '../../errors.js';
import { createTranscription } from '../../contract/audio.js';
import { disown } from '../../files/owner.js';
import { sendOnce } from '../jobs/once.js';
import { closeRun, requestHash, resumable, tellResuming } from '../jobs/resume.js';
import { sayer } from '../jobs/sayer.js';
import type { JobWorld } from '../jobs/world.js';
import { mayCost } from '../may-cost.js';
import { whileKept } from '../kept-pieces.js';
import { keptTexts, type Heard, type Wanted } from './kept.js';
import { openSending, type Sending } from './progress.js';
import { reportOf, type HeardPart } from './report.js';
import { pieceOf } from './text.js';

export interface Listening extends Wanted {
  readonly world: JobWorld;
  /** Pay for another, where an earlier run of one part did not end. */
  readonly isNew: boolean;
}

/**
 * Gives out the text of each part in order; for people each as soon as it is there. What was heard
 * of several parts is kept until `finish` is done with all of them and everything has been written.
 * @throws what `transcribe` of the API throws; Incomplete when something was heard before.
 */
export async function writeDown<Result>(
  context: Context,
  listening: Listening,
  finish: (heard: readonly HeardPart[]) => Promise<Result>,
): Promise<Result> {
  const { parts } = listening;
  if (parts.length === 1) return writeOne(context, listening, finish);
  const kept = await keptTexts(context, listening);
  const earlier = parts.map((_, index) => kept.heard(index));
  tellEarlier(context, earlier);
  const missing = parts.filter((_, index) => earlier[index] === undefined);
  const sending = await openSending(context, bytesOf(missing));
  const onAbort = () => {
    sending.stop();
  };
  const work = { kept: kept.pieces, command: 'svc transcribe … --split --resume', onAbort };
  return whileKept(context, work, async (onWhole) => {
    const keep = async (index: number, heard: Heard) => {
      await kept.keep(index, heard);
      onWhole();
    };
    const heard = await listen(context, { ...listening, earlier, sending, keep });
    const finished = await finish(heard);
    await context.out.flush();
    await kept.pieces.remove();
    return finished;
  });
}

/** One request: a run that did not end is gone on with, and its text is kept until it is out. */
async function writeOne<Result>(
  context: Context,
  listening: Listening,
  finish: (heard: readonly HeardPart[]) => Promise<Result>,
): Promise<Result> {
  const { world, parts, fields, isNew } = listening;
  const kept = await keptTexts(context, { ...listening, resume: true });
  const wish = requestHash({ transcription: kept.pieces.folder });
  const run = await resumable(world, { wish, isNew });
  const known = isNew ? undefined : kept.heard(0);
  if (run && known) tellResuming(world, run);
  let intent = run?.intent;
  const once = async (send: (key: OnceKey) => Promise<Transcribed>) => {
    const request = { kind: 'transcription', model: fields.model, wish } as const;
    const sent = await sendOnce(world, { ...request, row: createTranscription, send }, run);
    ({ intent } = sent);
    return sent.reply;
  };
  const sending = await openSending(context, bytesOf(parts));
  try {
    const heard = await listen(context, {
      ...listening,
      earlier: [known],
      sending,
      keep: kept.keep,
      once,
    });
    const finished = await finish(heard);
    await context.out.flush();
    await kept.pieces.remove();
    if (intent !== undefined) closeRun(world, intent);
    return finished;
  } catch (error) {
    await kept.pieces.letGo().catch(() => undefined);
    throw error;
  } finally {
    disown(world.owner);
  }
}

function tellEarlier(context: Context, earlier: readonly (Heard | undefined)[]): void {
  const count = earlier.filter((heard) => heard !== undefined).length;
  if (count === 0) return;
  const parts = `${String(count)} of ${String(earlier.length)} parts`;
  sayer(context)(`${parts} were written down already, and are not paid for again`);
}

function bytesOf(parts: Wanted['parts']): number {
  return parts.reduce((sum, { content }) => sum + content.length, 0);
}

interface Work extends Listening {
  /** What is known of each part. */
  readonly earlier: readonly (Heard | undefined)[];
  readonly sending: Sending;
  readonly keep?: (index: number, heard: Heard) => Promise<void>;
  /** Sends the only part so that it is paid for once. */
  readonly once?: (send: (key: OnceKey) => Promise<Transcribed>) => Promise<Transcribed>;
}

async function listen(context: Context, work: Work): Promise<readonly HeardPart[]> {
  const { parts, fields, sending, earlier } = work;
  const { out, flags } = context;
  const heard: HeardPart[] = [];
  try {
    for (const index of parts.keys()) {
      const known = earlier[index];
      try {
        heard.push(known ? { ...known, isReused: true } : await hear(context, work, index));
      } catch (error) {
        if (heard.length === 0 || !(error instanceof SvcError)) throw error;
        if (flags.json) await out.json(reportOf({ parts, fields, heard, cost: {} }));
        throw someFailed(error, heard.length, parts.length);
      }
      if (flags.json) continue;
      if (out.isTerminal) sending.stop();
      await out.text(pieceOf(parts, heard, index));
    }
    return heard;
  } finally {
    sending.stop();
  }
}

/** One part; what was heard is kept before anything else is done with it. */
async function hear(context: Context, work: Work, index: number): Promise<HeardPart> {
  const { world, parts, fields, sending, keep, once } = work;
  const part = parts[index];
  if (!part) throw new Error(`there is no part ${String(index)}`);
  const sent = { ...part, content: sending.watch(part.content) };
  const heard = await mayCost(context, world.client, (paying) => {
    const send = (key: OnceKey) => ask(paying, sent, fields, key);
    return once ? once(send) : send(newOnceKey());
  });
  await keep?.(index, heard).catch((error: unknown) => {
    if (!(error instanceof LocalFileError)) throw error;
    // It is given out all the same: only after a cut it would have to be paid for again.
    context.out.warn(`what was heard is not kept: ${error.message}`);
  });
  return { ...heard, isReused: false };
}

function someFailed(error: SvcError, done: number, count: number): Incomplete {
  return new Incomplete(
    `part ${String(done + 1)} of ${String(count)} was not written down: ${error.message}`,
    { code: 'some_failed', hint: error.hint, cause: error },
  );
}
