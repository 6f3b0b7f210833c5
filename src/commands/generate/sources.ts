/** What --input names: where each source is, what it is, and which option of the model it fills. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Stdin } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { openNamed } from '../../files/named-file.js';
import { filePieces } from '../../http/request-body.js';
import { exactly } from '../../lib/audio/source.js';
import { fileKindOf, kindBytes } from '../../lib/file-kind.js';
import { plainText } from '../../lib/plain-text.js';

/** The kinds of source that options are named after. */
export type SourceKind = 'image' | 'audio' | 'video' | 'model';

export type Source =
  | { readonly at: 'url'; readonly url: string }
  | {
      readonly at: 'file';
      readonly path: string;
      readonly length: number;
      readonly kind: SourceKind | undefined;
      readonly mediaType: string;
    }
  | {
      readonly at: 'stdin';
      readonly bytes: Buffer;
      readonly length: number;
      readonly kind: SourceKind | undefined;
      readonly mediaType: string;
    };

export interface Input {
  /** The option, or the first part of its name, as given: `image` or `image_url`. */
  readonly option: string | undefined;
  readonly source: Source;
}

/** What a source is called in messages. */
export function nameOf(source: Source): string {
  switch (source.at) {
    case 'url':
      return plainText(source.url, 100);
    case 'file':
      return basename(source.path);
    case 'stdin':
      return 'stdin';
  }
}

/**
 * Opens what the command line names, as far as its first bytes.
 * @param inputs `FILE`, `URL` or `-`, each perhaps behind `NAME=`.
 * @throws UsageError or LocalFileError for what is not there, empty, or cannot be read.
 */
export async function readInputs(inputs: readonly string[], stdin: Stdin): Promise<Input[]> {
  const split: { option: string | undefined; text: string }[] = [];
  for (const input of inputs) split.push(await splitInput(input));
  if (split.filter(({ text }) => text === '-').length > 1) {
    throw new UsageError('--input - can be given once', { code: 'usage' });
  }
  const read: Input[] = [];
  for (const { option, text } of split) {
    if (option !== undefined && /^file_\w+$/.test(text) && !(await isFile(text))) {
      throw uploaded(option, text);
    }
    read.push({ option, source: await sourceAt(text, stdin, '--input') });
  }
  return read;
}

const isUrl = (text: string) => /^https?:\/\//i.test(text);

/** A file whose own name has an equals sign in it is a file. */
async function splitInput(input: string): Promise<{ option: string | undefined; text: string }> {
  const match = /^([A-Za-z]\w*)=([^]*)$/.exec(input);
  if (!match || isUrl(input) || (await isFile(input))) return { option: undefined, text: input };
  return { option: match[1], text: match[2] ?? '' };
}

/** The id of a file that the service has is no source to send. */
function uploaded(option: string, id: string): UsageError {
  return new UsageError(`--input: there is no file ${plainText(id, 60)}`, {
    code: 'no_such_file',
    hint: `one that is uploaded is named by --opt ${option}=${plainText(id, 60)}`,
  });
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/**
 * Opens one of them.
 * @param flag that names it, for messages; none where it is an argument.
 * @throws UsageError or LocalFileError for what is not there, empty, or cannot be read.
 */
export async function sourceAt(text: string, stdin: Stdin, flag?: string): Promise<Source> {
  if (text === '') throw new UsageError('a source is a file, a URL or -', { code: 'usage' });
  if (isUrl(text)) return urlSource(text);
  if (text !== '-') return fileSource(text, flag);
  const bytes = await stdin.bytes();
  if (bytes.length === 0) throw empty('stdin');
  return { at: 'stdin', bytes, length: bytes.length, ...kindOf(bytes) };
}

function urlSource(url: string): Source {
  if (!URL.canParse(url)) {
    throw new UsageError(`${plainText(url, 100)} is no URL`, { code: 'usage' });
  }
  return { at: 'url', url };
}

async function fileSource(path: string, flag: string | undefined): Promise<Source> {
  const file = await openNamed(path, flag);
  try {
    if (file.length === 0) throw empty(path);
    const head = await exactly(file, 0, kindBytes);
    return { at: 'file', path, length: file.length, ...kindOf(head) };
  } finally {
    await file.close();
  }
}

function empty(name: string): UsageError {
  return new UsageError(`${name} is empty`, { code: 'empty_source' });
}

/** By the first bytes: names prove nothing. */
function kindOf(bytes: Uint8Array): { kind: SourceKind | undefined; mediaType: string } {
  const mediaType = fileKindOf(bytes)?.mediaType ?? 'application/octet-stream';
  const family = mediaType.split('/')[0];
  const kind =
    family === 'image' || family === 'audio' || family === 'video' || family === 'model'
      ? family
      : undefined;
  return { kind, mediaType };
}

/** The SHA-256 of a file, in hexadecimal. @throws LocalFileError */
export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of filePieces(path)) hash.update(piece);
  return hash.digest('hex');
}
