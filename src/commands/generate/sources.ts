/** What --input names: where each source is, what it is, and which option of the model it fills. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Stdin } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { openNamed } from '../../files/named-file.js';
import { filePieces } from '../../http/request-body.js';
import { exactly } from '../../lib/audio/source.js';
import { fileKindOf, kindBytes } from '../../lib/file-kind.js';
import { plainText } from '../../lib/plain-text.js';
import { either } from './schema.js';

/** The kinds of source that options are named after. */
export type SourceKind = 'image' | 'audio' | 'video' | 'model';

interface Content {
  readonly length: number;
  readonly kind: SourceKind | undefined;
  readonly mediaType: string;
}

export type Source =
  | { readonly at: 'url'; readonly url: string }
  | ({ readonly at: 'file'; readonly path: string } & Content)
  | ({ readonly at: 'stdin'; readonly bytes: Buffer } & Content);

export interface Input {
  /** The option, or the first part of its name, as given: `image` or `image_url`. */
  readonly option: string | undefined;
  readonly source: Source;
}

/** What a source is called in messages. */
export function nameOf(source: Source): string {
  if (source.at === 'url') return plainText(source.url, 100);
  return source.at === 'file' ? basename(source.path) : 'stdin';
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
    // The id of a file that the service has is no source to send.
    if (option !== undefined && /^file_\w+$/.test(text) && !(await isFile(text))) {
      const id = plainText(text, 60);
      throw new UsageError(`--input: there is no file ${id}`, {
        code: 'no_such_file',
        hint: `one that is uploaded is named by --opt ${option}=${id}`,
      });
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
  if (isUrl(text)) {
    if (URL.canParse(text)) return { at: 'url', url: text };
    throw new UsageError(`${plainText(text, 100)} is no URL`, { code: 'usage' });
  }
  if (text !== '-') return fileSource(text, flag);
  const bytes = await stdin.bytes();
  if (bytes.length === 0) throw empty('stdin');
  return { at: 'stdin', bytes, length: bytes.length, ...kindOf(bytes) };
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
function kindOf(bytes: Uint8Array): Pick<Content, 'kind' | 'mediaType'> {
  const mediaType = fileKindOf(bytes)?.mediaType ?? 'application/octet-stream';
  return { kind: kinds.find((kind) => mediaType.startsWith(`${kind}/`)), mediaType };
}

/** The SHA-256 of a file, in hexadecimal. @throws LocalFileError */
export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of filePieces(path)) hash.update(piece);
  return hash.digest('hex');
}

/** How a source travels: by its address, by the id of an uploaded file, or as base64. */
export type Form = 'url' | 'file_id' | 'base64';

export interface Filled {
  readonly source: Source;
  readonly form: Form;
  readonly option: string;
  /** The option holds several. */
  readonly isList: boolean;
}

export interface Filling {
  readonly model: string;
  /** The options of the model; undefined when they are not known. */
  readonly known: readonly string[] | undefined;
  /** Local files go as base64. */
  readonly inline: boolean;
  /** Where the model takes either, too. */
  readonly prefersInline?: boolean;
}

/**
 * Finds the options of a model that sources fill, by the names of section 2.11.
 * @throws UsageError when a source fits no option, or it is not clear which.
 */
export function fillAll(inputs: readonly Input[], filling: Filling): Filled[] {
  const filled: Filled[] = [];
  for (const input of inputs) {
    const taken = filled.filter(({ isList }) => !isList).map(({ option }) => option);
    filled.push(fill(input, filling, taken));
  }
  return filled;
}

const forms: readonly Form[] = ['url', 'file_id', 'base64'];
const ending = /_(url|file_id|base64)(s?)$/;

function fill({ source, option: named }: Input, filling: Filling, taken: string[]): Filled {
  const wanted = formsOf(source, filling);
  const given = forms.find((one) => one === ending.exec(named ?? '')?.[1]);
  if (named !== undefined && given) {
    checkKind(source, named);
    const isContent = source.at !== 'url' && given === 'base64';
    if (wanted.includes(given) || isContent) return filledWith(source, given, named);
    const what = given === 'url' ? 'a URL' : 'a file';
    throw new UsageError(`${named} takes ${what}, and ${nameOf(source)} is none`, {
      code: 'wrong_source',
    });
  }
  const stem = named ?? stemOf(source, filling);
  for (const form of wanted) {
    const names = candidates(stem, form, filling, named !== undefined);
    const free = names.find((name) => !taken.includes(name));
    if (free !== undefined) return filledWith(source, form, free);
    if (names.length === 0) continue;
    throw new UsageError(`${names[0] ?? stem} is given twice`, { code: 'usage' });
  }
  const { model, known = [] } = filling;
  const options = known.filter((name) => ending.test(name)).map((name) => plainText(name, 60));
  const byUrl = source.at === 'url' ? `${stem} by its URL` : `${stem} as a source`;
  const what = named === undefined ? byUrl : `source ${named}`;
  throw new UsageError(`${model} takes no ${what}`, {
    code: 'wrong_source',
    hint:
      options.length === 0
        ? 'it takes no source at all; leave --input out'
        : `it takes ${either(options)}`,
  });
}

/** A local file goes up as a file; where the model takes none, as base64. */
function formsOf(source: Source, { inline, known, prefersInline }: Filling): Form[] {
  if (source.at === 'url') return ['url'];
  if (inline) return ['base64'];
  if (!known) return ['file_id'];
  return prefersInline ? ['base64', 'file_id'] : ['file_id', 'base64'];
}

function filledWith(source: Source, form: Form, option: string): Filled {
  checkKind(source, option);
  return { source, form, option, isList: ending.exec(option)?.[2] === 's' };
}

/** An option that says what it takes is not filled with something else. */
function checkKind(source: Source, option: string): void {
  const asked = kinds.find((kind) => option.split('_').includes(kind));
  const given = source.at === 'url' ? undefined : source.kind;
  if (asked === undefined || given === undefined || asked === given) return;
  const is = `${nameOf(source)} is ${kindWords[given]}`;
  throw new UsageError(`${is}, and ${option} takes ${kindWords[asked]}`, { code: 'wrong_source' });
}

const kinds: readonly SourceKind[] = ['image', 'audio', 'video', 'model'];
const kindWords: Readonly<Record<SourceKind, string>> = {
  image: 'an image',
  audio: 'audio',
  video: 'a video',
  model: 'a 3D model',
};

/** Without a name the kind decides; of a URL it is guessed from its ending, or from the model. */
function stemOf(source: Source, { known }: Filling): string {
  const isUrlSource = source.at === 'url';
  const taken = kinds.filter((kind) => known?.includes(`${kind}_url`));
  const kind = isUrlSource
    ? (kindByEnding[extname(new URL(source.url).pathname).slice(1).toLowerCase()] ??
      (taken.length === 1 ? taken[0] : undefined))
    : source.kind;
  if (kind !== undefined) return kind;
  const options = known?.filter((name) => ending.test(name)) ?? [];
  const stems = new Set(options.map((name) => plainText(name.replace(ending, ''), 60)));
  const names = stems.size === 0 ? 'as in image=…' : `where NAME is ${either([...stems])}`;
  throw new UsageError(`it is not clear which option ${nameOf(source)} fills`, {
    code: 'unknown_source_kind',
    hint: `say which: --input NAME=${isUrlSource ? 'URL' : 'FILE'}, ${names}`,
  });
}

const endings: Readonly<Record<SourceKind, string>> = {
  image: 'png jpg jpeg gif webp avif heic bmp tiff',
  audio: 'mp3 wav ogg oga opus flac m4a aac',
  video: 'mp4 m4v mov webm mkv avi',
  model: 'glb gltf obj stl',
};
const kindByEnding: Readonly<Record<string, SourceKind>> = Object.fromEntries(
  kinds.flatMap((kind) => endings[kind].split(' ').map((ext) => [ext, kind] as const)),
);

/** The options that could hold it, the likeliest first. */
function candidates(
  stem: string,
  form: Form,
  { known, model }: Filling,
  isNamed: boolean,
): string[] {
  const usual = [`${stem}_${form}`, `${stem}_${form}s`];
  if (!known) return usual;
  if (isNamed && known.includes(stem)) return [stem];
  const general = isNamed ? [] : [`input_${form}`, `input_${form}s`, form, `${form}s`];
  const exact = [...usual, ...general].filter((name) => known.includes(name));
  if (exact.length > 0) return exact;
  const similar = known.filter(
    (name) => ending.exec(name)?.[1] === form && name.split('_').includes(stem),
  );
  if (similar.length < 2) return similar;
  const stems = similar.map((name) => plainText(name.replace(ending, ''), 60));
  throw new UsageError(`${model} takes several: ${either(stems)}`, {
    code: 'unknown_source_option',
    hint: `say which: --input ${stems[0] ?? stem}=…`,
  });
}
