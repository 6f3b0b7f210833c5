/** What is to be spoken, and how; refused before anything is sent when it cannot be. */
import { createHash } from 'node:crypto';
import type { SpeechBody } from '../../api/audio.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { speechFormats } from '../../contract/enums.js';
import { speech as limits, voice as voiceLimits } from '../../contract/limits.js';
import { PriceTooHigh, UsageError, ApiError } from '../../errors.js';
import { splitExtension } from '../../lib/file-name.js';
import { countCharacters, textPieces } from '../../lib/text-pieces.js';
import type { speak } from './index.js';
import { readText } from '../../files/named-file.js';
import { namedModel } from '../known-model.js';
import { joinText } from '../join-text.js';
import { findVoice, listVoices, unknownVoice, voicesCalled, type Voice } from '../../api/voices.js';
import { isRecord, listOf, recordOf, textOf } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { knownModel } from '../generate/model.js';
import { progressWriter, type JobEnv } from '../../jobs/job.js';

export type SpeakInput = InputOf<typeof speak>;
type SpeechFormat = (typeof speechFormats)[number];

export interface SpeakRequest {
  /** What is asked for, one request each; together they are the text, but for what is left out. */
  readonly pieces: readonly string[];
  /** Of all pieces. */
  readonly characters: number;
  /** How many blanks are left out: so many in a row that a piece would have nothing else. */
  readonly blanksLeftOut: number;
  readonly model: string;
  /** As given: a name may have to be looked up. */
  readonly voice: string | undefined;
  /** Undefined leaves it to the model. */
  readonly format: SpeechFormat | undefined;
  readonly speed: number | undefined;
}

/** @throws UsageError, or PriceTooHigh when it is more than --max-chars. */
export async function requestFrom(
  context: Context,
  { args, options }: SpeakInput,
): Promise<SpeakRequest> {
  const model = namedModel(context, options.model, {
    local: 'local/voice',
    hint: 'give -m MODEL: `svc models list --all` shows those that speak',
  });
  if (options.voice?.trim() === '') {
    throw new UsageError('--voice needs an id or a name', { code: 'usage' });
  }
  const text = await textFrom(context, args.text, options.file);
  const { pieces, blanksLeftOut } = spokenPieces(text);
  const characters = countCharacters(text) - blanksLeftOut;
  assertLength(characters, options);
  const format = options.format ?? formatOf(options.output);
  const { voice, speed } = options;
  return { pieces, characters, blanksLeftOut, model, voice, format, speed };
}

/** The request for one piece. */
export function bodyFor({ model, voice, format, speed }: SpeakRequest, input: string): SpeechBody {
  return {
    model,
    input,
    ...(voice === undefined ? {} : { voice }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(speed === undefined ? {} : { speed }),
  };
}

/** What tells a request from every other: sounds of equal requests may be joined. */
export function fingerprint({ pieces, model, voice, format, speed }: SpeakRequest): string {
  const facts = JSON.stringify([pieces, model, voice, format, speed]);
  return createHash('sha256').update(facts).digest('hex');
}

function assertLength(characters: number, { maxChars, split }: SpeakInput['options']): void {
  const { max } = limits.inputCharacters;
  if (maxChars !== undefined && characters > maxChars) {
    throw new PriceTooHigh(
      `the text has ${grouped(characters)} characters, more than --max-chars ${grouped(maxChars)}`,
      { code: 'max_chars_exceeded', hint: 'nothing was spent: raise --max-chars, or send less' },
    );
  }
  if (split || characters <= max) return;
  throw new UsageError(
    `the text has ${grouped(characters)} characters; one request takes ${grouped(max)}`,
    { code: 'text_too_long', hint: 'without --no-split it is spoken in pieces and joined' },
  );
}

/** A piece of nothing but blanks has nothing to say: it would be paid for nothing, or refused. */
function spokenPieces(text: string): Pick<SpeakRequest, 'pieces' | 'blanksLeftOut'> {
  const all = textPieces(text, limits.inputCharacters.max);
  const blank = all.filter((piece) => piece.trim() === '');
  return {
    pieces: all.filter((piece) => piece.trim() !== ''),
    blanksLeftOut: blank.reduce((sum, { length }) => sum + length, 0),
  };
}

/** The name of a file says what it is to hold. */
function formatOf(output: string | undefined): SpeechFormat | undefined {
  const extension = splitExtension(output ?? '')[1]
    .slice(1)
    .toLowerCase();
  const known = extension === 'ogg' ? 'opus' : extension === 'wave' ? 'wav' : extension;
  return speechFormats.find((format) => format === known);
}

/** `12345` as `12,345`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * Piped text or the file first, then the words. Where -f names a file stdin is left alone: in a
 * loop over files it belongs to the loop.
 */
async function textFrom(
  { stdin }: Context,
  words: readonly string[],
  file: string | undefined,
): Promise<string> {
  const isPiped = file === '-' || (file === undefined && !stdin.isTerminal);
  const inFile = () => (file === undefined ? '' : readText(file, '--file', { keepsMark: true }));
  const first = await (isPiped ? stdin.text() : inFile());
  const text = joinText(first, words.join(' '));
  if (text.trim() !== '') return text;
  throw new UsageError('the text is empty', {
    code: 'empty_text',
    hint: 'svc speak "what to say", -f FILE, or pipe text into it',
  });
}

/**
 * What to send for --voice. The account's own voices come first, by id and then by name: also a name
 * that looks like an id means the voice that is called so.
 * @throws UsageError for a word that surely names no voice, with the nearest, or that names several.
 */
export async function voiceFor(world: JobEnv, model: string, given: string): Promise<string> {
  const { context } = world;
  const word = given.trim();
  // A dry run sends nothing, so nobody can be asked.
  if (context.flags.dryRun) return word;
  const isLikeId = voiceLimits.id.test(word);
  const cloned = await clonedVoices(world, isLikeId);
  // Where nobody can tell, what looks like an id is one.
  if (!cloned && isLikeId) return word;
  if (cloned && voicesCalled(cloned, word).length > 0) {
    const { id } = findVoice(cloned, word);
    tellNamesakes(context, cloned, { id, word });
    return id;
  }
  if (cloned && isLikeId) throw unknownVoice(cloned, word);
  const own = await voicesOf(world, model);
  if (own.includes(word)) return word;
  const names = (cloned ?? []).flatMap(({ name }) => name ?? []);
  if (own.length > 0) throw noSuchVoice([...own, ...names], { word, model, own });
  // Voices are the model's own affair: where it does not tell them, the word is for it to judge.
  const meant = nearest(word, names);
  if (meant !== undefined) {
    progressWriter(context)(
      `none of your voices is called ${quoted(word)}; did you mean ${quoted(meant)}?`,
    );
  }
  return word;
}

/** Undefined where they cannot be listed: such a service has none of any name. */
async function clonedVoices(
  { client, context }: JobEnv,
  isLikeId: boolean,
): Promise<readonly Voice[] | undefined> {
  try {
    return (await listVoices(client)).voices;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A key may speak that may not list voices.
    if (!isLikeId && ![404, 405, 501].includes(error.status)) throw error;
    progressWriter(context)(`cloned voices cannot be listed: ${error.message}`);
    return undefined;
  }
}

/** Of a voice whose id is the name of others, which one speaks. */
function tellNamesakes(
  context: Context,
  voices: readonly Voice[],
  { id, word }: { id: string; word: string },
): void {
  const others = voices.filter((voice) => voice.name === word && voice.id !== id);
  if (id !== word || others.length === 0) return;
  const ids = others.map((voice) => plainText(voice.id, 40)).join(', ');
  progressWriter(context)(
    `${quoted(word)} is also what ${ids} is called; the voice of this id speaks`,
  );
}

function noSuchVoice(
  names: readonly string[],
  { word, model, own }: { word: string; model: string; own: readonly string[] },
): UsageError {
  const meant = nearest(word, names);
  const guess = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
  return new UsageError(`there is no voice ${quoted(word)}${guess}`, {
    code: 'unknown_voice',
    hint: `${model} has ${plainText(own.join(', '), 200)}; yours: \`svc voices list\``,
  });
}

function quoted(text: string): string {
  return `"${plainText(text, 80)}"`;
}

/** The voices that a model names in what it takes; none when it does not tell. */
async function voicesOf(
  { context, client, account }: JobEnv,
  model: string,
): Promise<readonly string[]> {
  const asking = { context, client, account, refresh: false };
  const { capability } = await knownModel(asking, model);
  return (capability?.operations ?? []).flatMap(({ schema }) => {
    const opts = recordOf(recordOf(schema['properties'])['opts']);
    return wordsIn(recordOf(opts['properties'])['voice']);
  });
}

/** The words that a schema lists, in it or in what it is a choice of. */
function wordsIn(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const own = listOf(schema['enum']).flatMap((word) => textOf(word) ?? []);
  return [...own, ...['anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]).flatMap(wordsIn))];
}
