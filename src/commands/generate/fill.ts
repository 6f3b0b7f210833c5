/** Finds the option of a model that a source fills, by the names of section 2.11. */
import { extname } from 'node:path';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { either } from './describe.js';
import { nameOf, type Input, type Source, type SourceKind } from './sources.js';

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
}

/** @throws UsageError when a source fits no option, or it is not clear which. */
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

function fill(input: Input, filling: Filling, taken: readonly string[]): Filled {
  const wanted = formsOf(input.source, filling);
  const named = input.option;
  const exact = named === undefined ? undefined : ending.exec(named);
  if (named !== undefined && exact) return exactly(input, named, wanted);
  const stem = named ?? stemOf(input.source, filling);
  for (const form of wanted) {
    const names = candidates(stem, form, filling, named !== undefined);
    const free = names.find((name) => !taken.includes(name));
    if (free !== undefined) return filledWith(input.source, form, free);
    if (names.length > 0) throw twice(names[0] ?? stem);
  }
  throw noOption(input, stem, filling);
}

/** A local file goes up as a file; where the model takes none, as base64. */
function formsOf(source: Source, { inline, known }: Filling): Form[] {
  if (source.at === 'url') return ['url'];
  if (inline) return ['base64'];
  return known ? ['file_id', 'base64'] : ['file_id'];
}

function exactly(input: Input, option: string, wanted: readonly Form[]): Filled {
  const form = forms.find((one) => one === ending.exec(option)?.[1]) ?? 'url';
  checkKind(input.source, option);
  if (wanted.includes(form)) return filledWith(input.source, form, option);
  if (input.source.at !== 'url' && form === 'base64') {
    return filledWith(input.source, form, option);
  }
  const what = { url: 'a URL', file_id: 'a file', base64: 'a file' }[form];
  throw new UsageError(`${option} takes ${what}, and ${nameOf(input.source)} is none`, {
    code: 'wrong_source',
  });
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
  throw new UsageError(
    `${nameOf(source)} is ${kindWords[given]}, and ${option} takes ${kindWords[asked]}`,
    {
      code: 'wrong_source',
    },
  );
}

const kinds: readonly SourceKind[] = ['image', 'audio', 'video', 'model'];
const kindWords: Readonly<Record<SourceKind, string>> = {
  image: 'an image',
  audio: 'audio',
  video: 'a video',
  model: 'a 3D model',
};

/** Without a name the kind decides; of a URL it is guessed from its ending, or from the model. */
function stemOf(source: Source, filling: Filling): string {
  const kind = source.at === 'url' ? urlKind(source.url, filling) : source.kind;
  if (kind !== undefined) return kind;
  throw new UsageError(`it is not clear which option ${nameOf(source)} fills`, {
    code: 'unknown_source_kind',
    hint: `say which: --input NAME=${source.at === 'url' ? 'URL' : 'FILE'}${namesHint(filling)}`,
  });
}

function namesHint({ known }: Filling): string {
  const stems = known?.filter((name) => ending.test(name)).map((name) => name.replace(ending, ''));
  if (stems === undefined || stems.length === 0) return ', as in image=…';
  return `, where NAME is ${either([...new Set(stems)].map((stem) => plainText(stem, 60)))}`;
}

function urlKind(url: string, { known }: Filling): SourceKind | undefined {
  const guess = kindByEnding[extname(new URL(url).pathname).slice(1).toLowerCase()];
  if (guess !== undefined) return guess;
  const taken = kinds.filter((kind) => known?.includes(`${kind}_url`));
  return taken.length === 1 ? taken[0] : undefined;
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

function twice(option: string): UsageError {
  return new UsageError(`${option} is given twice`, { code: 'usage' });
}

function noOption(
  { source, option }: Input,
  stem: string,
  { model, known = [] }: Filling,
): UsageError {
  const sourceOptions = known
    .filter((name) => ending.test(name))
    .map((name) => plainText(name, 60));
  const what =
    option !== undefined
      ? `source ${option}`
      : source.at === 'url'
        ? `${stem} by its URL`
        : `${stem} as a source`;
  return new UsageError(`${model} takes no ${what}`, {
    code: 'wrong_source',
    hint:
      sourceOptions.length === 0
        ? 'it takes no source at all; leave --input out'
        : `it takes ${either(sourceOptions)}`,
  });
}
