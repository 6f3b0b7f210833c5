import { transcribe as ask, type Transcribed } from '../../api/audio.js';
import type { Client } from '../../api/client.js';
import { costOfAll } from '../../api/cost.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { explain } from '../../contract/explain.js';
import { TranscriptionRequest } from '../../contract/audio.js';
import { transcription as limits } from '../../contract/limits.js';
import { Incomplete, SvcError, UsageError } from '../../errors.js';
import { formatBytes } from '../../lib/bytes.js';
import { formatElapsed } from '../../lib/elapsed.js';
import { tellCost } from '../cost.js';
import { sayer } from '../jobs/sayer.js';
import { tellsWaits } from '../waiting.js';
import type { transcribe } from './index.js';
import { partsOf, type Part } from './parts.js';
import { openSending, type Sending } from './progress.js';
import { openRecording } from './recording.js';

type Options = InputOf<typeof transcribe>['options'];

interface Fields {
  readonly model: string;
  readonly language?: string;
}

/** Writes down what a recording says. */
export const run: Handler<typeof transcribe> = async (context, { args, options }) => {
  const startedAtMs = context.clock.now();
  const fields = fieldsFrom(context, options);
  const split = options.split === true;
  const maxBytes = split ? Infinity : limits.fileBytes;
  const recording = await openRecording(args.file, context.stdin, maxBytes);
  try {
    const parts = await partsOf(recording, split);
    const client = tellsWaits(context, await context.client());
    const totalBytes = parts.reduce((sum, { content }) => sum + content.length, 0);
    if (parts.length > 1) {
      sayer(context)(`${formatBytes(totalBytes)} of WAV in ${String(parts.length)} parts`);
    }
    const sending = await openSending(context, totalBytes);
    const heard = await writeDown(context, { client, parts, fields, sending }).finally(() => {
      sending.stop();
    });
    await show(context, { client, parts, fields, heard, startedAtMs });
  } finally {
    await recording.close();
  }
};

/** @throws UsageError before anything is sent. */
function fieldsFrom({ flags }: Context, { model: given, language }: Options): Fields {
  // The default model of a profile is one to chat with.
  const model = given?.trim() ?? (flags.local ? 'local/transcribe' : '');
  if (model === '') {
    throw new UsageError('no model is named', {
      code: 'no_model',
      hint: 'give -m MODEL: `svc models list --all` shows those that listen',
    });
  }
  const fields = { model, ...(language === undefined ? {} : { language }) };
  const fault = TranscriptionRequest.safeParse(fields).error;
  if (fault) throw new UsageError(explain(fault, fields), { code: 'invalid_input' });
  return fields;
}

interface Work {
  readonly client: Client;
  readonly parts: readonly Part[];
  readonly fields: Fields;
  readonly sending: Sending;
}

/** The text of each part, in order; for people each as soon as it is there. */
async function writeDown(
  context: Context,
  { client, parts, fields, sending }: Work,
): Promise<Transcribed[]> {
  const { out, flags } = context;
  const heard: Transcribed[] = [];
  for (const part of parts) {
    try {
      const sent = { ...part, content: sending.watch(part.content) };
      heard.push(await ask(client, sent, fields));
    } catch (error) {
      if (heard.length === 0 || !(error instanceof SvcError)) throw error;
      if (flags.json) await out.json(json({ parts, fields, heard, cost: {} }));
      throw someFailed(error, heard.length, parts.length);
    }
    if (flags.json) continue;
    if (out.isTerminal) sending.stop();
    await out.text(pieceOf(parts, heard, heard.length - 1));
  }
  return heard;
}

function someFailed(error: SvcError, done: number, count: number): Incomplete {
  return new Incomplete(
    `part ${String(done + 1)} of ${String(count)} was not written down: ${error.message}`,
    { code: 'some_failed', hint: error.hint, cause: error },
  );
}

/** The text of a part with what parts it from the one before. */
function pieceOf(parts: readonly Part[], heard: readonly Transcribed[], index: number): string {
  const { text = '' } = heard[index] ?? {};
  const before = heard[index - 1]?.text ?? '';
  if (before === '' || text === '' || /\s$/.test(before) || /^\s/.test(text)) return text;
  // What stands in the file word for word was cut there: nothing stood between.
  const isVerbatim = [index - 1, index].every((one) => {
    const comment = parts[one]?.comment ?? '';
    return comment !== '' && comment === heard[one]?.text;
  });
  return isVerbatim ? text : ` ${text}`;
}

interface Ended {
  readonly client: Client;
  readonly parts: readonly Part[];
  readonly fields: Fields;
  readonly heard: readonly Transcribed[];
  readonly startedAtMs: number;
}

async function show(context: Context, ended: Ended): Promise<void> {
  const { client, heard, startedAtMs } = ended;
  const { out, flags, clock } = context;
  const wantsCost = flags.json || (out.isErrorTerminal && !flags.quiet);
  const generationIds = heard.map(({ ids }) => ids['generation-id']);
  const cost = wantsCost ? await costOfAll(client, generationIds) : {};
  if (flags.json) await out.json(json({ ...ended, cost }));
  // A terminal's next line starts at its left edge; a pipe gets the text alone.
  else if (out.isTerminal && !(heard.at(-1)?.text ?? '\n').endsWith('\n')) await out.text('\n');
  tellCost(context, cost, [formatElapsed(clock.now() - startedAtMs)]);
}

function json({
  parts,
  fields,
  heard,
  cost,
}: Pick<Ended, 'parts' | 'fields' | 'heard'> & { cost: object }): Record<string, unknown> {
  const text = heard.map((_, index) => pieceOf(parts, heard, index)).join('');
  const [only, ...others] = heard;
  const count = parts.length;
  const told = heard.map((one, index) => ({ ...parts[index]?.seconds, text: one.text }));
  return {
    text,
    complete: heard.length === count,
    ...fields,
    ...(count > 1 ? { parts: told } : {}),
    cost,
    ids: others.length === 0 ? (only?.ids ?? {}) : heard.map(({ ids }) => ids),
    ...(count === 1 ? { reply: only?.reply } : {}),
  };
}
