/** What a line of svc speak asks for; bad input is refused before anything is sent. */
import type { InputOf } from '../../command.js';
import type { Context } from '../../context.js';
import { speechFormats } from '../../contract/enums.js';
import { speech as limits } from '../../contract/limits.js';
import { PriceTooHigh, UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { modelFor } from '../../jobs/known-model.js';
import { splitExtension } from '../../lib/file-name.js';
import { joinText } from '../../lib/join-text.js';
import { countCharacters, textPieces } from '../../lib/text-pieces.js';
import type { SpeakRequest, SpeechFormat } from '../../media/speech.js';
import type { speak } from './index.js';

export type SpeakInput = InputOf<typeof speak>;

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
