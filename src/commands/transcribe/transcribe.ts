import { transcribe as ask, type Transcribed } from '../../api/audio.js';
import { withOneDeadline } from '../../api/client.js';
import { costOf, type Cost } from '../../api/cost.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { transcription as limits } from '../../contract/limits.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import { writeCost, mayCost } from '../../jobs/cost.js';
import { progressWriter, openJobs, type JobEnv } from '../../jobs/job.js';
import type { transcribe } from './index.js';
import {
  partsOf,
  type Part,
  openRecording,
  keptTexts,
  type Heard,
  type Wanted,
} from './recording.js';
import { explain } from '../../contract/explain.js';
import { TranscriptionRequest, createTranscription } from '../../contract/audio.js';
import { UsageError, Incomplete, LocalFileError, SvcError } from '../../errors.js';
import { disown } from '../../files/owner.js';
import { sendOnce, closeRun, requestHash, resumable, reportResuming } from '../../jobs/once.js';
import { namedModel } from '../known-model.js';
import { whileKept } from '../kept-pieces.js';
import type { StreamedBody } from '../../http/types.js';
import { progressLine } from '../../jobs/collect.js';

/** Writes down what a recording says. */
export const run: Handler<typeof transcribe> = async (context, { args, options }) => {
  const { clock, flags, out, stdin } = context;
  const startedAtMs = clock.now();
  const fields = fieldsFrom(context, options);
  const { split = false, resume = false } = options;
  const recording = await openRecording(args.file, stdin, split ? Infinity : limits.fileBytes);
  try {
    const parts = await partsOf(recording, split);
    const world = await openJobs(context, 'requests');
    const client = withOneDeadline(world.client);
    const [first] = parts;
    if (first && flags.dryRun) await ask(client, first, fields, newOnceKey());
    if (parts.length > 1) {
      progressWriter(context)(
        `${formatBytes(bytesOf(parts))} of WAV in ${String(parts.length)} parts`,
      );
    }
    const isNew = options.new === true;
    const listening = { world: { ...world, client }, recording, parts, fields, resume, isNew };
    // Of this run alone, where somebody will see it.
    const costFor = async (heard: readonly HeardPart[]): Promise<Cost> => {
      if (!flags.json && (!out.isErrorTerminal || flags.quiet)) return {};
      const paid = heard.filter(({ isReused }) => !isReused);
      return costOf(
        client,
        paid.map(({ ids }) => ids['generation-id']),
      );
    };
    // What stdout still gets once everything has been heard.
    const finish = async (heard: readonly HeardPart[]) => {
      const cost = flags.json ? await costFor(heard) : undefined;
      if (cost) await out.json(reportOf({ ...listening, heard, cost }));
      // A terminal's next line starts at its left edge; a pipe gets the text alone.
      else if (out.isTerminal && !(heard.at(-1)?.text ?? '\n').endsWith('\n')) await out.text('\n');
      await out.flush();
      return { heard, cost };
    };
    const ended = await writeDown(context, listening, finish);
    const cost = ended.cost ?? (await costFor(ended.heard));
    writeCost(context, cost, [formatElapsed(clock.now() - startedAtMs)]);
  } finally {
    await recording.close();
  }
};

export interface Fields {
  readonly model: string;
  readonly language?: string;
}

/** What is said of a recording, beside it. @throws UsageError before anything is sent. */
function fieldsFrom(
  context: Context,
  { model: given, language }: InputOf<typeof transcribe>['options'],
): Fields {
  const model = namedModel(context, given, {
    local: 'local/transcribe',
    hint: 'give -m MODEL: `svc models list --all` shows those that listen',
  });
  const fields = { model, ...(language === undefined ? {} : { language }) };
  const fault = TranscriptionRequest.safeParse(fields).error;
  if (fault) throw new UsageError(explain(fault, fields), { code: 'invalid_input' });
  return fields;
}

interface Listening extends Wanted {
  readonly world: JobEnv;
  /** Pay for another, where an earlier run of one part did not end. */
  readonly isNew: boolean;
}

/** What was heard in a part, and whether an earlier run had paid for it. */
interface HeardPart extends Heard {
  readonly isReused: boolean;
  readonly reply?: unknown;
}

/**
 * Gives out the text of each part in order; for people each as soon as it is there. What was heard
 * of several parts is kept until `finish` is done with all of them and everything has been written.
 */
async function writeDown<Result>(
  context: Context,
  listening: Listening,
  finish: (heard: readonly HeardPart[]) => Promise<Result>,
): Promise<Result> {
  const { parts } = listening;
  if (parts.length === 1) return writeOne(context, listening, finish);
  const kept = await keptTexts(context, listening);
  const earlier = parts.map((_, index) => kept.heard(index));
  const missing = parts.filter((_, index) => earlier[index] === undefined);
  const count = parts.length - missing.length;
  if (count > 0) {
    const there = `${String(count)} of ${String(parts.length)} parts`;
    progressWriter(context)(`${there} were written down already, and are not paid for again`);
  }
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
  const hash = requestHash({ transcription: kept.pieces.folder });
  const run = await resumable(world, { hash, isNew });
  const known = isNew ? undefined : kept.heard(0);
  if (run && known) reportResuming(world, run);
  let intent = run?.intent;
  const once = async (send: (key: OnceKey) => Promise<Transcribed>) => {
    const request = { kind: 'transcription', model: fields.model, hash } as const;
    const sent = await sendOnce(world, { ...request, row: createTranscription, send }, run);
    ({ intent } = sent);
    return sent.reply;
  };
  const sending = await openSending(context, bytesOf(parts));
  try {
    const { keep } = kept;
    const heard = await listen(context, { ...listening, earlier: [known], sending, keep, once });
    const finished = await finish(heard);
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

function bytesOf(parts: Wanted['parts']): number {
  return parts.reduce((sum, { content }) => sum + content.length, 0);
}

interface Work extends Listening {
  /** What is known of each part. */
  readonly earlier: readonly (Heard | undefined)[];
  readonly sending: Sending;
  readonly keep: (index: number, heard: Heard) => Promise<void>;
  /** Sends the only part so that it is paid for once. */
  readonly once?: (send: (key: OnceKey) => Promise<Transcribed>) => Promise<Transcribed>;
}

async function listen(context: Context, work: Work): Promise<readonly HeardPart[]> {
  const { parts, sending, earlier } = work;
  const { out, flags } = context;
  const heard: HeardPart[] = [];
  try {
    for (const [index, part] of parts.entries()) {
      const known = earlier[index];
      try {
        heard.push(known ? { ...known, isReused: true } : await hear(context, work, index, part));
      } catch (error) {
        if (heard.length === 0 || !(error instanceof SvcError)) throw error;
        if (flags.json) await out.json(reportOf({ ...work, heard, cost: {} }));
        throw new Incomplete(
          `part ${index + 1} of ${parts.length} was not written down: ${error.message}`,
          { code: 'some_failed', hint: error.hint, cause: error },
        );
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
async function hear(
  context: Context,
  { world, fields, sending, keep, once }: Work,
  index: number,
  part: Part,
): Promise<HeardPart> {
  const sent = { ...part, content: sending.watch(part.content) };
  const heard = await mayCost(context, world.client, (paying) => {
    const send = (key: OnceKey) => ask(paying, sent, fields, key);
    return once ? once(send) : send(newOnceKey());
  });
  await keep(index, heard).catch((error: unknown) => {
    if (!(error instanceof LocalFileError)) throw error;
    // It is given out all the same: only after a cut it would have to be paid for again.
    context.out.warn(`what was heard is not kept: ${error.message}`);
  });
  return { ...heard, isReused: false };
}

interface Reported extends Pick<Listening, 'parts' | 'fields'> {
  /** As far as there is something; parts that failed are missing at the end. */
  readonly heard: readonly HeardPart[];
  readonly cost: object;
}

/** What programs are told of a recording that was written down. */
function reportOf({ parts, fields, heard, cost }: Reported): Record<string, unknown> {
  const [only, ...others] = heard;
  const count = parts.length;
  const texts = heard.map(({ text }, index) => ({ ...parts[index]?.seconds, text }));
  const reused = heard.filter(({ isReused }) => isReused).length;
  return {
    text: heard.map((_, index) => pieceOf(parts, heard, index)).join(''),
    complete: heard.length === count,
    ...fields,
    ...(count > 1 ? { parts: texts, reused } : {}),
    cost,
    ids: others.length === 0 ? (only?.ids ?? {}) : heard.map(({ ids }) => ids),
    ...(count === 1 ? { reply: only?.reply } : {}),
  };
}

/** The text of a part, with what parts it from those before. */
function pieceOf(parts: readonly Part[], heard: readonly Heard[], index: number): string {
  const { text = '' } = heard[index] ?? {};
  // Where nothing was heard, words on either side of it meet.
  const last = heard.slice(0, index).findLastIndex((one) => one.text !== '');
  const before = heard[last]?.text ?? '';
  if (before === '' || text === '' || /\s$/.test(before) || /^\s/.test(text)) return text;
  // What stands in the file word for word was cut there: nothing stood between.
  const isVerbatim = [last, index].every((one) => parts[one]?.comment === heard[one]?.text);
  return isVerbatim ? text : ` ${text}`;
}

/** How much of a recording has been sent, as one line on a terminal. */
interface Sending {
  /** The same body, telling how far it has come. */
  watch(body: StreamedBody): StreamedBody;
  stop(): void;
}

/** @param totalBytes of all bodies together. */
async function openSending({ out, flags, clock }: Context, totalBytes: number): Promise<Sending> {
  if (flags.json) return { watch: (body) => body, stop: () => undefined };
  let bytes = 0;
  let sentAtMs: number | undefined;
  const words = () =>
    sentAtMs === undefined
      ? progressLine([{ bytes, totalBytes }], 1, 'sending')
      : `listening · ${formatElapsed(clock.now() - sentAtMs)}`;
  const spinner = await out.spinner(words());
  return {
    watch: (body) => ({
      length: body.length,
      open: async function* () {
        sentAtMs = undefined;
        let sent = 0;
        try {
          for await (const piece of body.open()) {
            yield piece;
            sent += piece.length;
            bytes += piece.length;
            spinner.update(words);
          }
          sentAtMs = clock.now();
          spinner.update(words);
        } finally {
          // One that is not sent to its end is sent again from its start, or not at all.
          if (sent < body.length) bytes -= sent;
        }
      },
    }),
    stop: () => {
      spinner.stop();
    },
  };
}
