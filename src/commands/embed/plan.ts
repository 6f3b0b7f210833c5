/** What the command line asks for; refuses what makes no sense before anything is sent. */
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { defaultBatch, type embed } from './index.js';

export type EmbedOptions = InputOf<typeof embed>['options'];

export interface Plan {
  readonly model: string;
  readonly encoding: EmbedOptions['encoding'];
  /** Print base64. */
  readonly isRaw: boolean;
  readonly batch: number;
  readonly skip: number;
  readonly file: FilePlan | undefined;
}

/** The file of -o. */
export interface FilePlan {
  readonly path: string;
  readonly kind: 'npy' | 'jsonl';
  readonly replace: boolean;
  readonly resume: boolean;
}

/** @throws UsageError in one sentence; ConfigError when there is no service to ask either. */
export async function planFrom(
  context: Context,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Plan> {
  refuseConflicts(context, texts, options);
  const file = filePlan(options);
  const isRaw = options.raw === true;
  if (isRaw && options.encoding !== 'base64') throw needs('--raw', '--encoding base64');
  if (isRaw && file?.kind === 'npy') throw conflict('--raw', `-o ${file.path}`);
  // Where the numbers become 32-bit floats anyway, the shorter way loses nothing.
  const isShort = file?.kind === 'npy' || options.similar !== undefined;
  return {
    model: await modelFrom(context, options.model),
    encoding: options.encoding ?? (isShort ? 'base64' : undefined),
    isRaw,
    batch: options.batch ?? defaultBatch,
    skip: options.skip ?? 0,
    file,
  };
}

function refuseConflicts(
  { flags }: Context,
  texts: readonly string[],
  options: EmbedOptions,
): void {
  const { lines, similar, resume, skip, output } = options;
  const isStream = lines === true || similar !== undefined;
  if (texts.length > 0) {
    if (options.file !== undefined) throw conflict('-f', 'texts as arguments');
    if (lines) throw conflict('--lines', 'texts as arguments');
  }
  if (similar !== undefined) {
    for (const name of ['output', 'raw', 'resume', 'skip'] as const) {
      if (options[name] !== undefined) throw conflict('--similar', `--${name}`);
    }
    if (similar.trim() === '') {
      throw new UsageError('--similar needs a text to compare with', { code: 'usage' });
    }
  } else if (options.count !== undefined) throw needs('-n', '--similar');
  if (lines && flags.json && similar === undefined && !isFile(output)) {
    throw new UsageError('--json and --lines cannot go together: --lines prints JSON already', {
      code: 'usage',
      hint: 'svc embed --help',
    });
  }
  if (resume && !(isStream && isFile(output))) throw needs('--resume', '--lines and -o FILE');
  if (resume && skip !== undefined) throw conflict('--resume', '--skip');
  if (!isStream && skip !== undefined) throw needs('--skip', '--lines');
  if (!isStream && options.batch !== undefined) throw needs('--batch', '--lines');
}

function isFile(output: string | undefined): output is string {
  return output !== undefined && output !== '-';
}

function filePlan({ output, force, resume }: EmbedOptions): FilePlan | undefined {
  if (!isFile(output)) return undefined;
  const kind = /\.(npy|jsonl|ndjson)$/i.exec(output)?.[1]?.toLowerCase();
  if (kind === undefined) {
    throw new UsageError(`-o takes a name that ends in .npy or .jsonl, not ${output}`, {
      code: 'usage',
      hint: 'svc embed --help',
    });
  }
  return {
    path: output,
    kind: kind === 'npy' ? 'npy' : 'jsonl',
    replace: force === true,
    resume: resume === true,
  };
}

async function modelFrom(context: Context, given: string | undefined): Promise<string> {
  const model = given?.trim() ?? (context.flags.local ? 'local/embed' : '');
  if (model !== '') return model;
  // Who has no service to ask yet needs that first, and is told so.
  await context.client();
  throw new UsageError('no embeddings model is named', {
    code: 'no_model',
    hint: 'give -m MODEL; `svc models pricing` shows them',
  });
}

function conflict(one: string, other: string): UsageError {
  return new UsageError(`${one} and ${other} cannot go together`, {
    code: 'usage',
    hint: 'svc embed --help',
  });
}

function needs(one: string, other: string): UsageError {
  return new UsageError(`${one} needs ${other}`, { code: 'usage', hint: 'svc embed --help' });
}
