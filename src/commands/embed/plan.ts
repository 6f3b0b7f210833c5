import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { defaultBatch, defaultCount, type embed } from './index.js';

export interface Plan {
  readonly model: string;
  readonly encoding: EmbedOptions['encoding'];
  readonly isRaw: boolean;
  readonly batch: number;
  readonly skip: number;
  /** The file of -o. */
  readonly file?: {
    readonly path: string;
    readonly isNpy: boolean;
    readonly replace: boolean;
    readonly resume: boolean;
  };
  /** Rank by this. */
  readonly similar: string | undefined;
  readonly count: number;
  /** Each line is a text, to be ranked or to become a vector. */
  readonly isStream: boolean;
  /** Each line becomes a vector. */
  readonly isLines: boolean;
}

type EmbedOptions = InputOf<typeof embed>['options'];

/** @throws UsageError in one sentence; ConfigError when there is no service to ask either. */
export async function planFrom(
  context: Context,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Plan> {
  const { similar, lines = false, raw = false, output } = options;
  const isStream = lines || similar !== undefined;
  const path = output === '-' ? undefined : output;
  const kind = /\.(npy|jsonl|ndjson)$/i.exec(path ?? '')?.[1]?.toLowerCase();
  const isNpy = kind === 'npy';
  if (similar?.trim() === '') {
    throw new UsageError('--similar needs a text to compare with', { code: 'usage' });
  }
  const hasTexts = texts.length > 0;
  const isFileless = lines && context.flags.json && similar === undefined && path === undefined;
  const together = 'cannot go together';
  const faults: readonly (readonly [isFault: boolean, message: string])[] = [
    [hasTexts && options.file !== undefined, `-f and texts as arguments ${together}`],
    [hasTexts && lines, `--lines and texts as arguments ${together}`],
    [isFileless, `--json and --lines ${together}: --lines prints JSON already`],
    [
      options.resume === true && !(isStream && path !== undefined),
      '--resume needs --lines and -o FILE',
    ],
    [options.batch !== undefined && !isStream, '--batch needs --lines'],
    [
      path !== undefined && kind === undefined,
      `-o takes a name that ends in .npy or .jsonl, not ${path}`,
    ],
    [raw && isNpy, `--raw and -o ${path} ${together}`],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault) throw new UsageError(fault[1], { code: 'usage', hint: 'svc embed --help' });
  const { force: replace = false, resume = false } = options;
  return {
    model: await modelFrom(context, options.model),
    // Where the numbers become 32-bit floats anyway, the shorter way loses nothing.
    encoding: options.encoding ?? (isNpy || similar !== undefined ? 'base64' : undefined),
    isRaw: raw,
    batch: options.batch ?? defaultBatch,
    skip: options.skip ?? 0,
    ...(path === undefined ? {} : { file: { path, isNpy, replace, resume } }),
    similar,
    count: options.count ?? defaultCount,
    isStream,
    isLines: lines && similar === undefined,
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
