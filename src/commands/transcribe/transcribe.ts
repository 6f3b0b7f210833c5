import { transcribe as ask } from '../../api/audio.js';
import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import type { Client } from '../../api/client.js';
import { costJson, type Cost } from '../../api/cost.js';
import type { Handler } from '../../context.js';
import { createTranscription, TranscriptionRequest } from '../../contract/audio.js';
import { explain } from '../../contract/explain.js';
import { transcription as limits } from '../../contract/limits.js';
import { Incomplete, LocalFileError, SvcError, UsageError } from '../../errors.js';
import { releaseOwner } from '../../files/owner.js';
import { costOfAll, idsJson, mayCost, writeCost } from '../../jobs/cost.js';
import { openJobs, progressWriter, type JobEnv } from '../../jobs/job.js';
import { requestHash } from '../../jobs/once.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { PaidRun } from '../../media/paid-run.js';
import { readSaved, withPieces, writeWhole } from '../../media/pieces.js';
import type { SavedPieces, Pieces } from '../../media/pieces.js';
import { modelFor } from '../../jobs/known-model.js';
import { openSending } from '../../media/sending.js';
import type { transcribe } from './index.js';
import { Heard, openRecording, partsOf, piecesOf } from '../../media/recording.js';
import type { Part, TranscriptionFields } from '../../media/recording.js';

export const run: Handler<typeof transcribe> = async (context, { args, options }) => {
  const { clock, flags, stdin } = context;
  const startedAtMs = clock.now();
  const { language, split = false, resume = false } = options;
  const model = await modelFor(context, options.model?.trim(), 'transcription');
  const fields = { model, ...(language === undefined ? {} : { language }) };
  const fault = TranscriptionRequest.safeParse(fields).error;
  if (fault) throw new UsageError(explain(fault, fields), { code: 'invalid_input' });
  const recording = await openRecording(args.file, stdin, split ? Infinity : limits.fileBytes);
  try {
    const parts = await partsOf(recording, split);
    const env = await openJobs(context, 'requests');
    const [first] = parts;
    if (first && flags.dryRun) await ask(env.client, first, fields, newOnceKey());
    if (parts.length > 1) {
      progressWriter(context)(`${formatBytes(bytesOf(parts))} of WAV in ${parts.length} parts`);
    }
    const pieces = await piecesOf(context, recording, parts, { ...fields, resume });
    const work = { env, parts, fields, pieces, isNew: options.new === true, heard: [] };
    const cost = await transcribeParts(work).finally(() => releaseOwner(env.owner));
    await writeCost(context, cost, () => [formatElapsed(clock.now() - startedAtMs)]);
  } finally {
    await recording.file.close();
  }
};

function bytesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { content }) => sum + content.length, 0);
}

interface TranscriptionWork {
  readonly env: JobEnv;
  readonly parts: readonly Part[];
  readonly fields: TranscriptionFields;
  readonly pieces: Pieces;
  /** Pay for a new run instead of resuming an unfinished one. */
  readonly isNew: boolean;
  /** What has been heard so far, in order. */
  readonly heard: TranscribedPart[];
}

interface TranscribedPart extends Heard {
  /** The text, and what separates it from the one before. */
  readonly shown: string;
  readonly isReused: boolean;
  readonly reply?: unknown;
}

/** Writes each text as soon as it exists; all are kept until everything has been written. */
async function transcribeParts(work: TranscriptionWork): Promise<Cost> {
  const { env, parts, fields, pieces, isNew, heard } = work;
  const { client, context } = env;
  const { flags, out } = context;
  const paidIds = () => heard.flatMap(({ ids, isReused }) => (isReused ? [] : [ids]));
  const costNow = () => costOfAll(context, client, paidIds());
  const [run, costInJson] = await withPieces(context, pieces, async (saved) => {
    const run = await PaidRun.open(env, {
      kind: 'transcription',
      model: fields.model,
      row: createTranscription,
      hash: requestHash({ transcription: pieces.folder }),
      requests: parts.length,
      isNew,
    });
    await hearParts(work, run, saved);
    const cost = flags.json ? await costNow() : undefined;
    if (cost) await out.json({ ...reportOf(work, cost), resumed: env.atWork.isResumed });
    else if (/[^\n]$/.test(heard.at(-1)?.text ?? '')) await out.text('\n');
    await out.flush();
    return [run, cost] as const;
  });
  run.close();
  return costInJson ?? costNow();
}

/** @param saved the texts of earlier runs, and where those of this one are kept */
async function hearParts(work: TranscriptionWork, run: PaidRun, saved: SavedPieces): Promise<void> {
  const { env, parts, fields, isNew, heard } = work;
  const { client, context } = env;
  const { flags, out } = context;
  const isOne = parts.length === 1;
  const failed = async (error: unknown): Promise<never> => {
    if (heard.length === 0 || !(error instanceof SvcError)) throw error;
    if (flags.json) await out.json(reportOf(work, {}));
    const which = `part ${heard.length + 1} of ${parts.length}`;
    const details = { code: 'some_failed', hint: error.hint, cause: error } as const;
    throw new Incomplete(`${which} was not transcribed: ${error.message}`, details);
  };
  /** The text is written anyway: only an interrupted run would pay for it again. */
  const warnNotKept = (error: unknown) => {
    if (!(error instanceof LocalFileError)) throw error;
    out.warn(`the finished parts were not saved: ${error.message}`);
  };
  const earlier = parts.map((_, index) =>
    isOne && isNew ? undefined : readSaved(Heard, saved.path(index)),
  );
  const missing = parts.filter((_, index) => !earlier[index]);
  const reused = parts.length - missing.length;
  if (missing.length === 0) run.reportResuming();
  if (!isOne && reused > 0) {
    const say = progressWriter(context);
    say(`${reused} of ${parts.length} parts were already transcribed and are not charged again`);
  }
  const sending = await openSending(context, bytesOf(missing), 'listening');
  try {
    for (const [index, part] of parts.entries()) {
      const known = earlier[index];
      const sent = { ...part, content: sending.watch(part.content) };
      const send = (paying: Client, key: OnceKey) => ask(paying, sent, fields, key);
      const paid = (paying: Client) => run.send(send, paying);
      const reply = known ?? (await mayCost(context, client, paid).catch(failed));
      const { text, ids } = reply;
      // The text is saved before anything else is done with it.
      if (!known) {
        const writing = writeWhole(saved.path(index), `${JSON.stringify({ text, ids })}\n`);
        await writing.then(() => saved.there.add(index), warnNotKept);
      }
      const shown = `${gapBefore(text, parts, heard)}${text}`;
      heard.push({ ...reply, shown, isReused: known !== undefined });
      if (flags.json) continue;
      if (out.isTerminal) sending.stop();
      await out.text(shown);
    }
  } finally {
    sending.stop();
  }
}

function reportOf({ parts, fields, heard }: TranscriptionWork, cost: Cost) {
  const count = parts.length;
  const texts = heard.map(({ text }, index) => ({ ...parts[index]?.seconds, text }));
  const reused = heard.filter(({ isReused }) => isReused).length;
  return {
    text: heard.map(({ shown }) => shown).join(''),
    complete: heard.length === count,
    ...fields,
    ...(count > 1 ? { parts: texts, reused } : {}),
    ...costJson(cost),
    ...idsJson(heard.map(({ ids }) => ids)),
    ...(count === 1 ? { reply: heard[0]?.reply } : {}),
  };
}

function gapBefore(text: string, parts: readonly Part[], heard: readonly Heard[]): string {
  // Words on either side of a silent part still need a separator.
  const last = heard.findLastIndex((one) => one.text !== '');
  const before = heard[last]?.text ?? '';
  if (before === '' || text === '' || /\s$/.test(before) || /^\s/.test(text)) return '';
  // Texts stored in the file were split here: nothing was between them.
  const isVerbatim = parts[last]?.comment === before && parts[heard.length]?.comment === text;
  return isVerbatim ? '' : ' ';
}
