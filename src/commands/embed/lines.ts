/** The texts to turn into vectors: any number of lines in batches, or the whole input as one. */
import { createReadStream } from 'node:fs';
import type { Context } from '../../context.js';
import type { InputOf } from '../../command.js';
import { UsageError, type ErrorCode } from '../../errors.js';
import { lineBlocks } from '../../files/lines.js';
import { statNamed, readTrouble, wholeOf } from '../../files/named-file.js';
import { utf8Text } from '../../lib/plain-text.js';
import type { embed } from './index.js';
import type { EmbedPlan } from './plan.js';

export interface TextLine {
  readonly number: number;
  readonly text: string;
}

/** The longest line for one vector; a longer one must not fill the memory. */
const maxLineBytes = 4 * 1024 * 1024;
/** A batch ends with the line that reaches this: services limit the size of a request. */
const enoughCharacters = 256 * 1024;

export async function* batchesOf(
  pieces: AsyncIterable<Buffer>,
  { size, skip, dropsEmpty }: { size: number; skip: number; dropsEmpty: boolean },
): AsyncGenerator<readonly TextLine[], void, undefined> {
  let lines: TextLine[] = [];
  let characters = 0;
  let number = 0;
  const hint = 'without --lines, all of the input is one text';
  const tooLongLine = (at: number) => tooLong(`line ${at}`, hint, 'line_too_long');
  for await (const block of lineBlocks(pieces, maxLineBytes, tooLongLine)) {
    for (const text of block) {
      number += 1;
      if (number <= skip) continue;
      if (text.trim() === '') {
        if (dropsEmpty) continue;
        // The lines before it are valid and are still sent.
        if (lines.length > 0) yield lines;
        throw new UsageError(`line ${number} is empty, and an empty text has no vector`, {
          code: 'empty_line',
          hint: 'remove empty lines, for example with: grep .',
        });
      }
      lines.push({ number, text });
      characters += text.length;
      if (lines.length < size && characters < enoughCharacters) continue;
      yield lines;
      lines = [];
      characters = 0;
    }
  }
  if (lines.length > 0) yield lines;
}

export interface TextInput {
  /** Each goes into one request. @param skip lines to skip at the start. */
  readonly batches: (skip: number, until?: AbortSignal) => AsyncIterable<readonly TextLine[]>;
  /** Whether it can be read twice, and so checked before anything is sent. */
  readonly isRepeatable: boolean;
}

/** The arguments; else the lines, or all, of -f or stdin. @throws UsageError */
export async function inputFrom(
  { stdin }: Context,
  { batch, isStream, similar }: EmbedPlan,
  { args: { text: texts }, options: { file } }: InputOf<typeof embed>,
): Promise<TextInput> {
  if (texts.length > 0) return textInput(texts, isStream ? batch : texts.length);
  if (file === undefined && stdin.isTerminal) {
    throw new UsageError('no text given', {
      code: 'no_text',
      hint: 'svc embed "a text", or -f FILE, or pipe it in',
    });
  }
  const isPiped = file === undefined || file === '-';
  const isRepeatable = !isPiped && (await statNamed(file, '--file')).isFile();
  const pieces = (until?: AbortSignal) => (isPiped ? stdin.pieces(until) : filePieces(file, until));
  if (!isStream) {
    const hint = 'if each line is a text, use --lines';
    const bytes = await wholeOf(pieces(), () => tooLong('the input', hint, 'text_too_long'));
    const text = utf8Text(bytes);
    if (text !== undefined) return textInput([text.replace(/\r?\n$/, '')], 1);
    throw new UsageError('the input is not UTF-8 text', { code: 'not_text' });
  }
  const dropsEmpty = similar !== undefined;
  const batches = (skip: number, until?: AbortSignal) =>
    batchesOf(pieces(until), { size: batch, skip, dropsEmpty });
  return { batches, isRepeatable };
}

function textInput(texts: readonly string[], size: number): TextInput {
  const empty = texts.findIndex((text) => text.trim() === '');
  if (empty !== -1) {
    const which = texts.length === 1 ? 'the text' : `text ${empty + 1}`;
    throw new UsageError(`${which} is empty, and an empty text has no vector`, {
      code: 'empty_text',
      hint: 'svc embed "a text"',
    });
  }
  const lines = texts.map((text, index) => ({ number: index + 1, text }));
  const batches = async function* () {
    for (let at = 0; at < lines.length; at += size) {
      yield await Promise.resolve(lines.slice(at, at + size));
    }
  };
  return { batches, isRepeatable: false };
}

function tooLong(what: string, hint: string, code: ErrorCode): UsageError {
  return new UsageError(`${what} is too long for one text`, { code, hint });
}

async function* filePieces(path: string, until?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path, { signal: until })) {
      if (Buffer.isBuffer(piece)) yield piece;
    }
  } catch (cause) {
    throw readTrouble(cause, path, '--file');
  }
}
