/** What --input gives: where each source is, what it is, and which option of the model it fills. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Stdin } from '../context.js';
import { UsageError } from '../errors.js';
import { openNamed } from '../files/named-file.js';
import { filePieces } from '../http/request-body.js';
import { isWebAddress } from '../lib/address.js';
import { exactly } from '../lib/audio/source.js';
import { fileKindOf, kindBytes } from '../lib/file-kind.js';
import { plainText } from '../lib/plain-text.js';
import { either } from './model-options.js';

/** The kinds of source that options are named after, in words, and how their files end. */
const kinds = [
  ['image', 'an image', 'png jpg jpeg gif webp avif heic bmp tiff'],
  ['audio', 'audio', 'mp3 wav ogg oga opus flac m4a aac'],
  ['video', 'a video', 'mp4 m4v mov webm mkv avi'],
  ['model', 'a 3D model', 'glb gltf obj stl'],
] as const;

/** What the first bytes of a source say. */
interface Content {
  /** In bytes. */
  readonly length: number;
  /** Of those that options are named after. */
  readonly kind: (typeof kinds)[number][0] | undefined;
  readonly mediaType: string;
}

export type LocalSource = Content &
  (
    | { readonly at: 'file'; readonly path: string }
    | { readonly at: 'stdin'; readonly bytes: Buffer }
  );
export type MediaSource = { readonly at: 'url'; readonly url: string } | LocalSource;

/** A value of --input. */
export interface SourceInput {
  /** The option, or the first part of its name, as it was typed: `image` or `image_url`. */
  readonly option: string | undefined;
  readonly source: MediaSource;
}

export function nameOf(source: MediaSource): string {
  if (source.at === 'url') return plainText(source.url, 100);
  return source.at === 'file' ? basename(source.path) : 'stdin';
}

/** Opens `FILE`, `URL` or `-`, each perhaps behind `NAME=`. @throws UsageError, LocalFileError */
export async function readInputs(inputs: readonly string[], stdin: Stdin): Promise<SourceInput[]> {
  const read: SourceInput[] = [];
  for (const input of inputs) {
    const match = /^([A-Za-z]\w*)=([^]*)$/.exec(input);
    // A file name may contain an equals sign.
    const isNamed = match && !isWebAddress(input) && !(await isFile(input));
    const [option, text = ''] = isNamed ? match.slice(1) : [undefined, input];
    if (text === '-' && read.some(({ source }) => source.at === 'stdin')) {
      throw new UsageError('--input - can be used only once');
    }
    // The id of an uploaded file is not a source to send.
    if (option !== undefined && /^file_\w+$/.test(text) && !(await isFile(text))) {
      const id = plainText(text, 60);
      const hint = `for an uploaded file, use --opt ${option}=${id}`;
      throw new UsageError(`--input: there is no file ${id}`, { code: 'no_such_file', hint });
    }
    read.push({ option, source: await sourceAt(text, stdin, '--input') });
  }
  return read;
}

const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() === true;

/** Opens one of them; `flag` names it in messages. */
export async function sourceAt(text: string, stdin: Stdin, flag?: string): Promise<MediaSource> {
  if (text === '') throw new UsageError('a source is a file, a URL or -');
  if (isWebAddress(text)) {
    if (URL.canParse(text)) return { at: 'url', url: text };
    throw new UsageError(`${plainText(text, 100)} is not a URL`);
  }
  if (text === '-') {
    const bytes = await stdin.bytes();
    return { at: 'stdin', bytes, ...contentOf(bytes, bytes.length, 'stdin') };
  }
  const file = await openNamed(text, flag);
  try {
    const head = file.length === 0 ? Buffer.alloc(0) : await exactly(file, 0, kindBytes);
    return { at: 'file', path: text, ...contentOf(head, file.length, text) };
  } finally {
    await file.close();
  }
}

/** By the first bytes: names prove nothing. @throws UsageError for nothing */
function contentOf(head: Uint8Array, length: number, name: string): Content {
  if (length === 0) throw new UsageError(`${name} is empty`, { code: 'empty_source' });
  const mediaType = fileKindOf(head)?.mediaType ?? 'application/octet-stream';
  const [kind] = kinds.find(([one]) => mediaType.startsWith(`${one}/`)) ?? [];
  return { length, kind, mediaType };
}

/** Its identity, whatever its name: a hash of its content, or its URL. */
export async function sourceHash(
  source: { readonly url: string } | { readonly path: string } | { readonly bytes: Uint8Array },
): Promise<string> {
  if ('url' in source) return source.url;
  const hash = createHash('sha256');
  if ('bytes' in source) hash.update(source.bytes);
  else for await (const piece of filePieces(source.path)) hash.update(piece);
  return hash.digest('hex');
}

/** How a source travels: by its address, by the id of an uploaded file, or as base64. */
const forms = ['url', 'file_id', 'base64'] as const;
type Form = (typeof forms)[number];

/** A source in the option that it fills. */
export interface FilledOption {
  readonly source: MediaSource;
  readonly form: Form;
  readonly option: string;
  /** Whether the option holds several, in order. */
  readonly isList: boolean;
}

/** What the name of an option for sources ends in; one for several has an s. */
const ending = /_(url|file_id|base64)(s?)$/;

/** Which options there are, and how files travel. */
interface Filling {
  readonly model: string;
  /** --inline: files go within the request. */
  readonly inline: boolean;
  /** Where the model takes either, files go within the request. */
  readonly prefersInline: boolean;
  /** The options of the model; undefined if they are unknown. */
  readonly known: readonly string[] | undefined;
}

/** Finds an option for each source, in order. @throws UsageError when there is none, or several. */
export function fillAll(inputs: readonly SourceInput[], filling: Filling): FilledOption[] {
  const filled: FilledOption[] = [];
  for (const input of inputs) {
    const { source } = input;
    const taken = filled.flatMap(({ isList, option }) => (isList ? [] : option));
    const [form, option] = placeFor(input, filling, taken);
    const taker = kinds.find(([kind]) => option.split('_').includes(kind));
    const own = source.at === 'url' ? taker : kinds.find(([kind]) => kind === source.kind);
    if (taker && own && taker !== own) {
      throw wrongSource(`${nameOf(source)} is ${own[1]}, but ${option} takes ${taker[1]}`);
    }
    filled.push({ source, form, option, isList: ending.exec(option)?.[2] === 's' });
  }
  return filled;
}

function placeFor(
  { source, option: named }: SourceInput,
  filling: Filling,
  taken: readonly string[],
): [form: Form, option: string] {
  const { model, known = [] } = filling;
  const possible = formsOf(source, filling);
  const exact = forms.find((one) => one === ending.exec(named ?? '')?.[1]);
  if (named !== undefined && exact) {
    const isContent = source.at !== 'url' && exact === 'base64';
    if (possible.includes(exact) || isContent) return [exact, named];
    const what = exact === 'url' ? 'a URL' : 'a file';
    throw wrongSource(`${named} takes ${what}, and ${nameOf(source)} is not one`);
  }
  const stem = named ?? stemOf(source, known);
  for (const form of possible) {
    const names = candidates(stem, form, filling, named !== undefined);
    const free = names.find((name) => !taken.includes(name));
    if (free !== undefined) return [form, free];
    const [first] = names;
    if (first !== undefined) throw new UsageError(`${first} is given twice`);
  }
  const options = known.filter((name) => ending.test(name)).map((name) => plainText(name, 60));
  const byUrl = source.at === 'url' ? `${stem} by its URL` : `${stem} as a source`;
  throw wrongSource(
    `${model} does not accept ${named === undefined ? byUrl : `source ${named}`}`,
    `it takes ${either(options) || 'no source; omit --input'}`,
  );
}

const wrongSource = (message: string, hint?: string) =>
  new UsageError(message, { code: 'wrong_source', hint });

/** A local file goes up as a file; where the model takes none, as base64. */
function formsOf(source: MediaSource, { inline, known, prefersInline }: Filling): Form[] {
  if (source.at === 'url') return ['url'];
  if (inline) return ['base64'];
  if (!known) return ['file_id'];
  return prefersInline ? ['base64', 'file_id'] : ['file_id', 'base64'];
}

/** Without a name the kind decides; of a URL it is guessed from its ending, or from the model. */
function stemOf(source: MediaSource, known: readonly string[]): string {
  const kind = source.at === 'url' ? kindOfUrl(source.url, known) : source.kind;
  if (kind !== undefined) return kind;
  const stems = new Set(stemsOf(known.filter((name) => ending.test(name))));
  const names = stems.size === 0 ? 'as in image=…' : `where NAME is ${either([...stems])}`;
  throw new UsageError(`it is not clear which option ${nameOf(source)} fills`, {
    code: 'unknown_source_kind',
    hint: `say which: --input NAME=${source.at === 'url' ? 'URL' : 'FILE'}, ${names}`,
  });
}

function kindOfUrl(url: string, known: readonly string[]): string | undefined {
  const extension = extname(new URL(url).pathname).slice(1).toLowerCase();
  const byEnding = kinds.find(([, , endings]) => endings.split(' ').includes(extension));
  const taken = kinds.filter(([kind]) => known.includes(`${kind}_url`));
  return (byEnding ?? (taken.length === 1 ? taken[0] : undefined))?.[0];
}

const stemsOf = (options: readonly string[]) =>
  options.map((name) => plainText(name.replace(ending, ''), 60));

/** The options that could hold it, the likeliest first. */
function candidates(stem: string, form: Form, { known, model }: Filling, isNamed: boolean) {
  const usual = [`${stem}_${form}`, `${stem}_${form}s`];
  if (!known) return usual;
  if (isNamed && known.includes(stem)) return [stem];
  const general = isNamed ? [] : [`input_${form}`, `input_${form}s`, form, `${form}s`];
  const exact = [...usual, ...general].filter((name) => known.includes(name));
  if (exact.length > 0) return exact;
  const isOfForm = (name: string) => ending.exec(name)?.[1] === form;
  const similar = known.filter((name) => isOfForm(name) && name.split('_').includes(stem));
  if (similar.length < 2) return similar;
  const stems = stemsOf(similar);
  throw new UsageError(`${model} takes several: ${either(stems)}`, {
    code: 'unknown_source_option',
    hint: `say which: --input ${stems[0] ?? stem}=…`,
  });
}
