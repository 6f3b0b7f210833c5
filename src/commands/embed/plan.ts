/** What a line of svc embed asks for. */
import type { InputOf } from '../../command.js';
import type { Context } from '../../context.js';
import type { embeddingEncodings } from '../../contract/enums.js';
import { UsageError } from '../../errors.js';
import { modelFor } from '../../jobs/known-model.js';
import { defaultBatch, defaultCount, type embed } from './index.js';

export interface EmbedPlan {
  readonly model: string;
  /** How the service sends the numbers; undefined leaves it the choice. */
  readonly encoding: (typeof embeddingEncodings)[number] | undefined;
  /** Whether vectors are printed as base64. */
  readonly isRaw: boolean;
  /** The most lines of one request. */
  readonly batch: number;
  /** Lines to leave out at the start. */
  readonly skip: number;
  /** Where the vectors go; undefined for stdout. */
  readonly file: VectorFile | undefined;
  /** The text by whose similarity lines are ranked. */
  readonly similar: string | undefined;
  /** The number of most similar lines. */
  readonly count: number;
  /** Whether each line is a text, for vectors or for a ranking. */
  readonly isStream: boolean;
  /** Whether there is a vector for each line. */
  readonly isLines: boolean;
}

export interface VectorFile {
  readonly path: string;
  /** A NumPy file; otherwise JSON Lines. */
  readonly isNpy: boolean;
  /** Whether an existing file is replaced. */
  readonly replace: boolean;
  /** Whether the rows of an earlier run are continued. */
  readonly resume: boolean;
}

/** @throws UsageError for options that do not go together */
export async function planFrom(
  context: Context,
  { args: { text: texts }, options }: InputOf<typeof embed>,
): Promise<EmbedPlan> {
  const { similar, lines = false, raw = false, output } = options;
  const isStream = lines || similar !== undefined;
  const path = output === '-' ? undefined : output;
  const kind = /\.(npy|jsonl|ndjson)$/i.exec(path ?? '')?.[1]?.toLowerCase();
  const isNpy = kind === 'npy';
  if (similar?.trim() === '') {
    throw new UsageError('--similar needs a text to compare with');
  }
  const hasTexts = texts.length > 0;
  const isFileless = lines && context.flags.json && similar === undefined && path === undefined;
  const together = 'cannot be used together';
  const faults: readonly [isFault: boolean, message: string][] = [
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
      `the name for -o must end in .npy or .jsonl, not ${path}`,
    ],
    [raw && isNpy, `--raw and -o ${path} ${together}`],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault) throw new UsageError(fault[1], { hint: 'svc embed --help' });
  const { force: replace = false, resume = false } = options;
  return {
    model: await modelFor(context, options.model?.trim(), 'embedding'),
    // Where the numbers become 32-bit floats anyway, the shorter way loses nothing.
    encoding: options.encoding ?? (isNpy || similar !== undefined ? 'base64' : undefined),
    isRaw: raw,
    batch: options.batch ?? defaultBatch,
    skip: options.skip ?? 0,
    file: path === undefined ? undefined : { path, isNpy, replace, resume },
    similar,
    count: options.limit ?? defaultCount,
    isStream,
    isLines: lines && similar === undefined,
  };
}
