/** `svc batch status` and `report`: what has become of the requests, as OUT and its journal say. */
import { readJournal, readOutput } from '../../batch/results.js';
import { tokensOf } from '../../batch/request.js';
import type { Handler } from '../../context.js';
import { statNamed } from '../../files/named-file.js';
import { sumRub } from '../../lib/amounts.js';
import { durationWords } from '../../lib/duration.js';
import { numberOf, parsedJson, recordOf, textOf } from '../../lib/json.js';
import { titles } from '../../terminal/types.js';
import { countCell, rubCell } from '../cells.js';
import type { report as reportDeclaration, status as statusDeclaration } from './index.js';

/** `missing` is NaN where there is no journal. @param take gets each line of OUT */
async function countsOf(output: string, take?: (line: string, isDone: boolean) => void) {
  await statNamed(output);
  const written = readJournal(output);
  readOutput(output, written, (bytes, from, to, isDone) => {
    take?.(bytes.toString('utf8', from, to), isDone);
  });
  const { count, done, ids } = written;
  let { failed } = written;
  let unknown = 0;
  for (const place of ids.places()) {
    if (ids.state(place) === 'failed') failed += 1;
    if (ids.state(place) === 'sent') unknown += 1;
  }
  return { done, failed, unknown, missing: Math.max(0, count - done - failed - unknown) };
}

export const status: Handler<typeof statusDeclaration> = async (context, { args }) => {
  const files: ({ file: string } & Awaited<ReturnType<typeof countsOf>>)[] = [];
  for (const file of args.output) files.push({ file, ...(await countsOf(file)) });
  if (context.flags.json) return context.out.json({ files });
  const rows = files.map(({ file, ...counts }) => {
    return [file, ...Object.values(counts).map((count) => countCell(context, count))];
  });
  await context.out.table(titles('FILE', '>DONE', '>FAILED', '>UNKNOWN', '>MISSING'), rows);
};

const countNames = ['done', 'failed', 'unknown', 'missing'] as const;

export const report: Handler<typeof reportDeclaration> = async (context, { args }) => {
  const { flags, out } = context;
  const sums = { done: 0, failed: 0, unknown: 0, missing: 0, unpriced: 0, attempts: 0 };
  let cachedLines = 0;
  const cost = { priceRub: 0 };
  const usage = { inputTokens: 0, outputTokens: 0 };
  const latenciesMs: number[] = [];
  const errors = new Map<string, { code: string; count: number; example: string }>();
  const take = (line: string, isDone: boolean) => {
    const result = recordOf(parsedJson(line));
    const { attempts, cached, cost: own, ms } = recordOf(result['svc']);
    const { priceRub } = recordOf(own);
    const { input = 0, output = 0 } = tokensOf(recordOf(result['response'])['body']);
    cost.priceRub = sumRub([cost.priceRub, numberOf(priceRub) ?? 0]);
    sums.unpriced += priceRub === null ? 1 : 0;
    usage.inputTokens += input;
    usage.outputTokens += output;
    sums.attempts += numberOf(attempts) ?? 0;
    if (cached === true) cachedLines += 1;
    else if (isDone) latenciesMs.push(numberOf(ms) ?? 0);
    if (isDone) return;
    const code = textOf(recordOf(result['error'])['code']) ?? 'empty_answer';
    const first = { code, count: 0, example: textOf(result['custom_id']) ?? '' };
    const sum = errors.get(code) ?? first;
    errors.set(code, { ...sum, count: sum.count + 1 });
  };
  for (const file of args.output) {
    const counts = await countsOf(file, take);
    for (const name of countNames) sums[name] += counts[name];
  }
  latenciesMs.sort((one, other) => one - other);
  const latency = (share: number) => latenciesMs[Math.ceil(share * latenciesMs.length) - 1] ?? 0;
  const [p50Ms, p95Ms, p99Ms] = [latency(0.5), latency(0.95), latency(0.99)];
  const byCount = [...errors.values()].sort((one, other) => other.count - one.count);
  const cached = cachedLines > 0 ? cachedLines : undefined;
  if (flags.json)
    return out.json({ ...sums, cached, usage, cost, p50Ms, p95Ms, p99Ms, errors: byCount });
  const row = (label: string, count: number) => [label, countCell(context, count)] as const;
  await out.fields([
    row('Done', sums.done),
    ...(cached === undefined ? [] : [row('Cached', cached)]),
    row('Failed', sums.failed),
    row('Unknown', sums.unknown),
    row('Missing', sums.missing),
    ['Cost', rubCell(context, cost.priceRub)],
    row('Without a price', sums.unpriced),
    row('Tokens in', usage.inputTokens),
    row('Tokens out', usage.outputTokens),
    row('Attempts', sums.attempts),
    ['Half within', durationWords(p50Ms)],
    ['95 % within', durationWords(p95Ms)],
    ['99 % within', durationWords(p99Ms)],
  ]);
  if (byCount.length === 0) return;
  const rows = byCount.map(({ code, count, example }) => [code, String(count), example]);
  await out.table(titles('ERROR', '>COUNT', 'EXAMPLE'), rows);
};
