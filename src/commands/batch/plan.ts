/** `svc batch plan`: what several machines run, each a shard of one input. */
import { basename, join, parse } from 'node:path/posix';
import type { Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { kebabCase } from '../../lib/names.js';
import { baseUrlText } from '../../state/rules.js';
import type { plan as declaration } from './index.js';
import { shardNumber, shellLine, texts } from './plan-texts.js';

export const run: Handler<typeof declaration> = async (context, { args, options }) => {
  const { count, engine, errors, image, output = 'answers.jsonl', ...same } = options;
  if (engine === undefined || count === undefined) {
    throw refusal('a plan needs --engine and -n, the number of shards');
  }
  const { input } = args;
  const { maxCostRub } = context.flags;
  // A line break would end a comment, a directive or a line of YAML, whatever the quotes.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test([input, ...Object.values(options)].join(''))) {
    throw refusal('a plan cannot have a line break or another control character in a value');
  }
  const dashed = [input, output, errors].find((path) => path?.startsWith('-'));
  if (dashed !== undefined) throw refusal(`a plan needs names of files, and ${dashed} is not one`);

  // What a workflow keeps is one folder.
  const isWorkflow = engine === 'github-actions';
  const placed = (path: string) => (isWorkflow ? join('shards', basename(path)) : path);
  const ofShard = (path: string) => {
    const { dir, name, ext } = parse(placed(path));
    return join(dir, `${name}-${shardNumber}-of-${count}${ext}`);
  };
  const { baseUrl } = context.settings();
  const values = {
    output: ofShard(output),
    errors: errors && ofShard(errors),
    shard: engine === 'kubernetes' ? 'auto' : `${shardNumber}/${count}`,
    maxCost: maxCostRub === undefined ? undefined : shareOf(maxCostRub, count),
    baseUrl: baseUrl && baseUrlText(baseUrl),
    ...same,
  };
  const words = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [`--${kebabCase(name)}`, ...(value === true ? [] : [String(value)])];
  });
  const answers = shellLine([ofShard(output)], '*');
  const text = texts[engine]({
    count,
    words: ['svc', ...(context.flags.local ? ['--local'] : []), 'batch', 'run', input, ...words],
    merge: `svc batch merge --order ${shellLine([input])} ${answers} -o ${shellLine([placed(output)])}`,
    joblog: `${output}.joblog`,
    image: image ?? 'registry.example/svc-cli',
  });
  await context.out.text(text);
};

/** Rounded down to a kopeck, so that the shares are never more than all. */
function shareOf(maxCostRub: number, count: number): number {
  // 1.15 times 100 is a little less than 115.
  const shareRub = Math.floor(Math.floor(maxCostRub * 100 + 1e-6) / count) / 100;
  if (shareRub > 0) return shareRub;
  throw refusal(`--max-cost ${maxCostRub} is less than 0.01 RUB for each of ${count} shards`);
}

function refusal(message: string): UsageError {
  return new UsageError(message, { hint: 'svc batch plan --help' });
}
