/** What is to be spoken, and how; refused before anything is sent when it cannot be. */
import { createHash } from 'node:crypto';
import type { SpeechBody } from '../../api/audio.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { speechFormats } from '../../contract/enums.js';
import { speech as limits } from '../../contract/limits.js';
import { PriceTooHigh, UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { safeFileName, splitExtension } from '../../lib/file-name.js';
import { countCharacters, textPieces } from '../../lib/text-pieces.js';
import { joinText } from '../join-text.js';
import { namedModel } from '../known-model.js';
import type { speak } from './index.js';

export type SpeakInput = InputOf<typeof speak>;
type SpeechFormat = (typeof speechFormats)[number];

export interface SpeakRequest {
  /** What is asked for, one request each; together they are the text, but for what is left out. */
  readonly pieces: readonly string[];
  readonly characters: number;
  /** So many in a row that a piece would have nothing else. */
  readonly blanksLeftOut: number;
  readonly model: string;
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
  const { voice, speed, format = formatOf(options.output) } = options;
  if (voice?.trim() === '')
    throw new UsageError('--voice needs an id or a name', { code: 'usage' });
  const text = await textFrom(context, args.text, options.file);
  const all = textPieces(text, limits.inputCharacters.max);
  // A piece of nothing but blanks has nothing to say: it would be paid for nothing, or refused.
  const pieces = all.filter((piece) => piece.trim() !== '');
  const characters = pieces.reduce((sum, piece) => sum + countCharacters(piece), 0);
  const blanksLeftOut = countCharacters(text) - characters;
  assertLength(characters, options);
  return { pieces, characters, blanksLeftOut, model, voice, format, speed };
}

export function bodyFor({ model, voice, format, speed }: SpeakRequest, input: string): SpeechBody {
  return {
    model,
    input,
    ...(voice === undefined ? {} : { voice }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(speed === undefined ? {} : { speed }),
  };
}

export function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** What tells a request from every other: sounds of equal requests may be joined. */
export function fingerprint({ pieces, model, voice, format, speed }: SpeakRequest): string {
  return sha256([pieces, model, voice, format, speed]);
}

/** A name for its file: the same for the same speech, so that what was kept of it is found again. */
export function fileStem(request: SpeakRequest): string {
  const model = request.model.replace(/[^A-Za-z0-9._-]+/g, '-');
  return safeFileName(`${model}-${fingerprint(request).slice(0, 8)}`) ?? 'speech';
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

/** Other names that files of a format end in. */
const formatNames: Readonly<Record<string, string>> = { ogg: 'opus', wave: 'wav' };

/** The name of a file says what it is to hold. */
function formatOf(output = ''): SpeechFormat | undefined {
  const extension = splitExtension(output)[1].slice(1).toLowerCase();
  const known = formatNames[extension] ?? extension;
  return speechFormats.find((format) => format === known);
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Piped text or the file first, then the words. With -f stdin is left alone: it may be of a loop. */
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
