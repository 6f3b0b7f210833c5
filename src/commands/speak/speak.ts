import { speak as askSpeech, type Speech } from '../../api/audio.js';
import { newOnceKey, type OnceKey } from '../../api/beyond-spec.js';
import type { Client } from '../../api/client.js';
import { costJson, type Cost } from '../../api/cost.js';
import type { InputOf } from '../../command.js';
import type { Context, Handler } from '../../context.js';
import { createSpeech } from '../../contract/audio.js';
import { speechFormats } from '../../contract/enums.js';
import { speech as limits } from '../../contract/limits.js';
import { PriceTooHigh, UsageError, type RequestIds } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { releaseOwner } from '../../files/owner.js';
import { isStillWhole, type SavedBytes } from '../../files/saved-file.js';
import { targetFrom, type Target } from '../../files/target.js';
import type { Sink } from '../../http/types.js';
import { assertOutput, checkForRun, isAtDestination, openResults } from '../../jobs/collect.js';
import { warnOfExtension, type TakenName } from '../../jobs/collect.js';
import { costOfAll, idsJson, mayCost, writeCost } from '../../jobs/cost.js';
import { openJobs, progressWriter, type JobEnv } from '../../jobs/job.js';
import { modelFor } from '../../jobs/known-model.js';
import { requestHash } from '../../jobs/once.js';
import { openResult, showFile } from '../../jobs/show-file.js';
import { formatBytes, grouped } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { splitExtension } from '../../lib/file-name.js';
import { joinText } from '../../lib/plain-text.js';
import { countCharacters, textPieces } from '../../lib/text-pieces.js';
import { PaidRun } from '../../media/paid-run.js';
import { showProgress } from '../../media/sending.js';
import { bodyFor, fileStem, voiceFor } from '../../media/speech.js';
import type { SpeakRequest, SpeechFormat } from '../../media/speech.js';
import { assertJoinable, speakToFile, speakToStdout } from '../../media/speech-files.js';
import type { SavedSpeech } from '../../media/speech-files.js';
import { playSound } from '../../terminal/viewer.js';
import type { speak } from './index.js';

type SpeakOptions = InputOf<typeof speak>['options'];

export const run: Handler<typeof speak> = async (context, input) => {
  const { clock, flags, out } = context;
  const startedAtMs = clock.now();
  const { options } = input;
  assertOutput(options.output, out);
  const line = await requestFrom(context, input);
  if (options.output === '-') assertJoinable(line);
  const env = await openJobs(context, 'requests');
  const { model, voice } = line;
  const request =
    voice === undefined ? line : { ...line, voice: await voiceFor(env, model, voice) };
  const outlet = await outletFrom(context, request, options);
  if (flags.dryRun) await askSpeech(env.client, bodyFor(request, 0), newOnceKey());
  const { blanksLeftOut, characters, pieces } = request;
  const say = progressWriter(context);
  if (blanksLeftOut > 0) {
    const blanks = `${grouped(blanksLeftOut)} ${blanksLeftOut === 1 ? 'blank' : 'blanks'}`;
    say(`left out ${blanks}: a piece would contain nothing else`);
  }
  if (pieces.length > 1) say(`${grouped(characters)} characters in ${pieces.length} pieces`);
  const speech = await make(env, request, outlet, options).finally(() => releaseOwner(env.owner));
  const cost = await show(env, request, speech, options.output !== undefined);
  await writeCost(context, cost, () => [formatElapsed(clock.now() - startedAtMs)]);
  const [first] = speech.files;
  if (options.open && first) await openResult(context, first.path, true);
  speech.run.close();
  for (const { path } of options.play ? speech.files : []) await playSound(path, context);
};

/** Where the speech goes. */
interface Outlet {
  /** Undefined for stdout. */
  readonly target: Target | undefined;
  readonly taken?: TakenName | undefined;
}

/** @throws UsageError or LocalFileError */
async function outletFrom(
  context: Context,
  request: SpeakRequest,
  { output, force: replace = false }: SpeakOptions,
): Promise<Outlet> {
  if (output === '-') return { target: undefined };
  const place = await targetFrom(output, { replace });
  const mayBeThere = request.pieces.length === 1 ? openResults(context, 'requests') : undefined;
  const taken = await checkForRun(place, mayBeThere);
  if (place.kind === 'file') return { target: place, taken };
  const name = (extension: string) => `${fileStem(request)}.${extension}`;
  // Raw samples have no header: the requested format decides.
  return { target: { ...place, name, unknown: request.format }, taken };
}

interface MadeSpeech extends SavedSpeech {
  /** Of the requests of this command. */
  readonly ids: readonly RequestIds[];
  readonly run: PaidRun;
}

async function make(
  env: JobEnv,
  request: SpeakRequest,
  { target, taken }: Outlet,
  options: SpeakOptions,
): Promise<MadeSpeech> {
  const { context } = env;
  const { model, pieces } = request;
  const hash = requestHash({ speech: bodyFor(request, 0) });
  const about = { kind: 'speech', model, row: createSpeech, hash } as const;
  const work = { ...about, requests: pieces.length, isNew: options.new, taken };
  const run = await PaidRun.open(env, work);
  const { onBytes, stop } = await openProgress(context, pieces.length);
  const ids: RequestIds[] = [];
  try {
    for (const file of run.earlier?.saved ?? []) {
      // An earlier run wrote it without reporting it.
      if (!target || !isAtDestination(target, file) || !(await isStillWhole(file))) continue;
      run.reportResuming();
      return { files: [{ ...file, mediaType: undefined }], reused: 1, ids, run };
    }
    const saved = await mayCost(context, env.client, (client): Promise<SavedSpeech> => {
      const ask = async (index: number, signal = client.signal): Promise<Speech> => {
        const send = (paying: Client, key: OnceKey) =>
          askSpeech({ ...paying, signal }, bodyFor(request, index), key);
        const speech = await run.send(send, client);
        ids.push(speech.ids);
        const pipe = (sink: Sink) =>
          speech.pipe((bytes) => {
            onBytes(index, bytes.length);
            return sink(bytes);
          });
        return { ...speech, pipe };
      };
      const speaking = { context, request, ask };
      if (!target) return speakToStdout(speaking);
      const beforeNaming = (file: SavedBytes) => run.note({ type: 'saved', index: 0, ...file });
      const isOne = pieces.length === 1;
      return speakToFile(speaking, isOne ? { ...target, beforeNaming } : target, options);
    });
    return { ...saved, ids, run };
  } finally {
    stop();
  }
}

/** @returns what it cost, as far as that is shown */
async function show(
  { atWork, context, client }: JobEnv,
  request: SpeakRequest,
  { apart, files, ids, reused }: MadeSpeech,
  isNamed: boolean,
): Promise<Cost> {
  const { out, flags } = context;
  const cost = ids.length > 0 ? await costOfAll(context, client, ids) : {};
  const { characters, blanksLeftOut, pieces, model, voice, format } = request;
  if (flags.json) {
    const leftOut = blanksLeftOut > 0 ? { blanksLeftOut } : {};
    const facts = { model, voice, format, characters, ...leftOut, pieces: pieces.length, reused };
    await out.json({
      files,
      ...facts,
      resumed: atWork.isResumed,
      ...costJson(cost),
      ...idsJson(ids),
    });
    return cost;
  }
  if (reused > 0) out.note(`${reused} pieces already existed and were not charged again`);
  if (apart !== undefined) {
    out.note(`${files.length} files, because they cannot be joined: ${apart}`);
  }
  if (isNamed) for (const file of files) warnOfExtension(out, file);
  for (const { path } of files) await showFile(context, path);
  return cost;
}

async function openProgress(context: Context, count: number) {
  const { clock } = context;
  const startedAtMs = clock.now();
  let total = 0;
  let latest = 0;
  const stop = await showProgress(context, () => {
    const piece = count === 1 ? '' : ` piece ${latest + 1} of ${count}`;
    const bytes = total === 0 ? '' : `${formatBytes(total)} · `;
    return `speaking${piece} · ${bytes}${formatElapsed(clock.now() - startedAtMs)}`;
  });
  const onBytes = (index: number, bytes: number) => {
    total += bytes;
    latest = Math.max(latest, index);
  };
  return { onBytes, stop };
}

/** @throws UsageError, PriceTooHigh, or LocalFileError for a text that cannot be read */
async function requestFrom(
  context: Context,
  { args, options }: InputOf<typeof speak>,
): Promise<SpeakRequest> {
  const model = await modelFor(context, options.model?.trim(), 'speech');
  const { voice, speed, format = formatOf(options.output) } = options;
  if (voice?.trim() === '') throw new UsageError('--voice needs an id or a name');
  const text = await textFrom(context, args.text, options.file);
  const all = textPieces(text, limits.inputCharacters.max);
  // A blank piece has no speech: it would be charged for nothing, or refused.
  const pieces = all.filter((piece) => piece.trim() !== '');
  const characters = pieces.reduce((sum, piece) => sum + countCharacters(piece), 0);
  const blanksLeftOut = countCharacters(text) - characters;
  const { maxChars, split } = options;
  const { max } = limits.inputCharacters;
  const has = `the text has ${grouped(characters)} characters`;
  if (maxChars !== undefined && characters > maxChars) {
    throw new PriceTooHigh(`${has}, more than --max-chars ${grouped(maxChars)}`, {
      code: 'max_chars_exceeded',
      hint: 'nothing was charged: raise --max-chars or shorten the text',
    });
  }
  if (!split && characters > max) {
    throw new UsageError(`${has}; one request accepts ${grouped(max)}`, {
      code: 'text_too_long',
      hint: 'without --no-split it is spoken in pieces and joined',
    });
  }
  return { pieces, characters, blanksLeftOut, model, voice, format, speed };
}

const formatNames: Readonly<Record<string, string>> = { ogg: 'opus', wave: 'wav' };

function formatOf(output = ''): SpeechFormat | undefined {
  const extension = splitExtension(output)[1].slice(1).toLowerCase();
  const known = formatNames[extension] ?? extension;
  return speechFormats.find((format) => format === known);
}

/** The file or stdin first, then the arguments. */
async function textFrom(
  { stdin }: Context,
  words: readonly string[],
  file: string | undefined,
): Promise<string> {
  const isPiped = file === '-';
  const isTaken = file !== undefined && !isPiped;
  const inFile = isTaken ? await readText(file, '--file', { keepsMark: true }) : '';
  const { piped, prompt } = await stdin.forPrompt(isPiped ? ['-', ...words] : words, { isTaken });
  const text = joinText(joinText(inFile, piped), prompt);
  if (text.trim() !== '') return text;
  throw new UsageError('the text is empty', {
    code: 'empty_text',
    hint: 'svc speak "what to say", -f FILE, or pipe text into it',
  });
}
