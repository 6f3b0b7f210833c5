/** What is to be spoken, and how; refused before anything is sent when it cannot be. */
import { createHash } from 'node:crypto';
import type { SpeechBody } from '../../api/audio.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { speechFormats } from '../../contract/enums.js';
import { speech as limits } from '../../contract/limits.js';
import { PriceTooHigh, UsageError } from '../../errors.js';
import { splitExtension } from '../../lib/file-name.js';
import { countCharacters, textPieces } from '../../lib/text-pieces.js';
import type { speak } from './index.js';
import { textFrom } from './text.js';

export type SpeakInput = InputOf<typeof speak>;
export type SpeechFormat = (typeof speechFormats)[number];

export interface Order {
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
export async function orderFrom(context: Context, { args, options }: SpeakInput): Promise<Order> {
  const model = modelFrom(context, options.model);
  if (options.voice?.trim() === '') {
    throw new UsageError('--voice needs an id or a name', { code: 'usage' });
  }
  const text = await textFrom(context, args.text, options.file);
  const { pieces, blanksLeftOut } = spokenPieces(text);
  const characters = countCharacters(text) - blanksLeftOut;
  refuseTooLong(characters, options);
  const format = options.format ?? formatOf(options.output);
  const { voice, speed } = options;
  return { pieces, characters, blanksLeftOut, model, voice, format, speed };
}

/** The request for one piece. */
export function bodyFor({ model, voice, format, speed }: Order, input: string): SpeechBody {
  return {
    model,
    input,
    ...(voice === undefined ? {} : { voice }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(speed === undefined ? {} : { speed }),
  };
}

/** What tells an order from every other: sounds of equal orders may be joined. */
export function fingerprint({ pieces, model, voice, format, speed }: Order): string {
  const facts = JSON.stringify([pieces, model, voice, format, speed]);
  return createHash('sha256').update(facts).digest('hex');
}

function modelFrom({ flags }: Context, given: string | undefined): string {
  // The default model of a profile is one to chat with.
  const model = given?.trim() ?? (flags.local ? 'local/voice' : '');
  if (model !== '') return model;
  throw new UsageError('no model is named', {
    code: 'no_model',
    hint: 'give -m MODEL: `svc models list --all` shows those that speak',
  });
}

function refuseTooLong(characters: number, { maxChars, split }: SpeakInput['options']): void {
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
function spokenPieces(text: string): Pick<Order, 'pieces' | 'blanksLeftOut'> {
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
