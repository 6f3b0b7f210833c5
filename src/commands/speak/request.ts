/** What to speak, and how; bad input is refused before anything is sent. */
import { createHash } from 'node:crypto';
import type { SpeechBody } from '../../api/audio.js';
import { findVoice, listVoices, quoted, voicesCalled } from '../../api/voices.js';
import type { Context } from '../../context.js';
import type { InputOf } from '../../command.js';
import { speechFormats } from '../../contract/enums.js';
import { speech as limits, voice as voiceLimits } from '../../contract/limits.js';
import { ApiError, PriceTooHigh, UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { progressWriter, type JobEnv } from '../../jobs/job.js';
import { safeFileName, splitExtension } from '../../lib/file-name.js';
import { textOf } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { countCharacters, textPieces } from '../../lib/text-pieces.js';
import { knownModel } from '../generate/model.js';
import { choicesOf, optionsOf } from '../generate/schema.js';
import { joinText } from '../../lib/join-text.js';
import { modelFor } from '../../jobs/known-model.js';
import type { speak } from './index.js';

export type SpeakInput = InputOf<typeof speak>;
type SpeechFormat = (typeof speechFormats)[number];

export interface SpeakRequest {
  /** The text, in pieces that one request accepts. */
  readonly pieces: readonly string[];
  /** Of all pieces. */
  readonly characters: number;
  /** Blank characters that are part of no piece. */
  readonly blanksLeftOut: number;
  readonly model: string;
  /** An id or a name, as the service takes it. */
  readonly voice: string | undefined;
  /** Undefined leaves it to the model. */
  readonly format: SpeechFormat | undefined;
  readonly speed: number | undefined;
}

/** @throws UsageError, PriceTooHigh, or LocalFileError for a text that cannot be read */
export async function requestFrom(
  context: Context,
  { args, options }: SpeakInput,
): Promise<SpeakRequest> {
  const model = await modelFor(context, options.model?.trim(), 'speech');
  const { voice, speed, format = formatOf(options.output) } = options;
  if (voice?.trim() === '')
    throw new UsageError('--voice needs an id or a name', { code: 'usage' });
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

export function bodyFor(request: SpeakRequest, index: number): SpeechBody {
  const { pieces, model, voice, format, speed } = request;
  return { model, input: pieces[index] ?? '', voice, response_format: format, speed };
}

export function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Equal only for equal requests, whose audio may be joined. */
export function fingerprint({ pieces, model, voice, format, speed }: SpeakRequest): string {
  return sha256([pieces, model, voice, format, speed]);
}

/** The same name for the same speech, so that its pieces are found again. */
export function fileStem(request: SpeakRequest): string {
  const model = request.model.replace(/[^A-Za-z0-9._-]+/g, '-');
  return safeFileName(`${model}-${fingerprint(request).slice(0, 8)}`) ?? 'speech';
}

const formatNames: Readonly<Record<string, string>> = { ogg: 'opus', wave: 'wav' };

function formatOf(output = ''): SpeechFormat | undefined {
  const extension = splitExtension(output)[1].slice(1).toLowerCase();
  const known = formatNames[extension] ?? extension;
  return speechFormats.find((format) => format === known);
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
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

/** The account's own voices come first, by id and then by name. @throws UsageError */
export async function voiceFor(env: JobEnv, model: string, name: string): Promise<string> {
  const { context, client } = env;
  const say = progressWriter(context);
  const word = name.trim();
  if (context.flags.dryRun) return word;
  const isLikeId = voiceLimits.id.test(word);
  const cloned = await listVoices(client).then(
    ({ voices }) => voices,
    (error: unknown) => {
      // A key may speak but not list voices; a service may have no list.
      const isNone = error instanceof ApiError && [404, 405, 501].includes(error.status);
      if (!isNone && !(error instanceof ApiError && isLikeId)) throw error;
      say(`cloned voices cannot be listed: ${error.message}`);
      return undefined;
    },
  );
  if (!cloned && isLikeId) return word;
  if (cloned && (isLikeId || voicesCalled(cloned, word).length > 0)) {
    return findVoice(cloned, word).id;
  }
  const { capability } = await knownModel(env, model);
  const own = optionsOf((capability?.operations ?? []).map(({ schema }) => schema))
    .filter(({ name }) => name === 'voice')
    .flatMap(({ schemas }) => choicesOf(schemas))
    .flatMap((choice) => textOf(choice) ?? []);
  if (own.includes(word)) return word;
  const names = (cloned ?? []).flatMap(({ name }) => name ?? []);
  const similar = nearest(word, [...own, ...names]);
  const guess = similar === undefined ? '' : `; did you mean ${quoted(similar)}?`;
  if (own.length > 0) {
    throw new UsageError(`there is no voice ${quoted(word)}${guess}`, {
      code: 'unknown_voice',
      hint: `${model} has ${plainText(own.join(', '), 200)}; yours: \`svc voices list\``,
    });
  }
  // A model that does not list its voices decides which names are valid.
  if (similar !== undefined) say(`none of your voices is named ${quoted(word)}${guess}`);
  return word;
}
