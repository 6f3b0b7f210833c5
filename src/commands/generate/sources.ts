/** What --input names: where each source is, what it is, and which option of the model it fills. */
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Stdin } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
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
  for (const { option, text } of split) read.push({ option, source: await sourceAt(text, stdin) });
  return read;
}

const isUrl = (text: string) => /^https?:\/\//i.test(text);

/** A file whose own name has an equals sign in it is a file. */
async function splitInput(input: string): Promise<{ option: string | undefined; text: string }> {
  const match = /^([A-Za-z]\w*)=([^]*)$/.exec(input);
  if (!match || isUrl(input) || (await isFile(input))) return { option: undefined, text: input };
  return { option: match[1], text: match[2] ?? '' };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/**
 * Opens one of them.
 * @throws UsageError or LocalFileError for what is not there, empty, or cannot be read.
 */
export async function sourceAt(text: string, stdin: Stdin): Promise<Source> {
  if (text === '') throw new UsageError('a source is a file, a URL or -', { code: 'usage' });
  if (isUrl(text)) return urlSource(text);
  if (text !== '-') return fileSource(text);
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

async function fileSource(path: string): Promise<Source> {
  try {
    // Opening a named pipe would wait for whoever writes to it.
    const there = await stat(path);
    if (!there.isFile() && !there.isDirectory()) throw noFile(path);
    const handle = await open(path, 'r');
    try {
      const found = await handle.stat();
      if (found.isDirectory()) throw folder(path);
      // What has no length of its own, as a named pipe, cannot be sent as a file.
      if (!found.isFile()) throw noFile(path);
      if (found.size === 0) throw empty(path);
      const head = Buffer.alloc(Math.min(kindBytes, found.size));
      await handle.read(head, 0, head.length, 0);
      return { at: 'file', path, length: found.size, ...kindOf(head) };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') {
      throw new UsageError(`no such file to send: ${path}`, { code: 'no_such_file', cause });
    }
    if (codeOf(cause) === 'EISDIR') throw folder(path);
    throw fileTrouble(cause, `cannot read ${path}`);
  }
}

function folder(path: string): UsageError {
  return new UsageError(`cannot send a folder: ${path}`, { code: 'is_a_folder' });
}

function noFile(path: string): UsageError {
  return new UsageError(`${path} is no file; pipe it in, with - in its place`, {
    code: 'no_such_file',
  });
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
