/** `svc batch status` and `report`: what has become of the requests, as OUT and its journal say. */
import { eachLine, partsOf, readJournal, resultIn } from '../../batch/results.js';
import { tokensOf } from '../../batch/send.js';
import type { Handler } from '../../cli/declaration.js';
import { statNamed } from '../../files/named-file.js';
import { numberOf, recordOf, textOf } from '../../lib/json.js';
import { titles } from '../../terminal/types.js';
import { countCell } from '../cells.js';
import type { report as reportDeclaration, status as statusDeclaration } from './index.js';

const countNames = ['done', 'failed', 'unknown', 'missing'] as const;

/** `missing` is NaN where there is no journal. @param take gets each line of OUT */
async function countsOf(output: string, take?: (line: string, isDone: boolean) => void) {
  await statNamed(output);
  const { count = NaN, ids } = readJournal(output);
  const counts = { done: 0, failed: 0, unknown: 0 };
  eachLine(output, (bytes, from, to) => {
    const { idFrom, idTo, isDone } = partsOf(output, bytes, from, to);
    ids.setState(ids.place(bytes, idFrom, idTo), 'done');
    counts[isDone ? 'done' : 'failed'] += 1;
    take?.(bytes.toString('utf8', from, to), isDone);
  });
  for (const place of ids.places()) {
    if (ids.state(place) === 'failed') counts.failed += 1;
    if (ids.state(place) === 'sent') counts.unknown += 1;
  }
  const { done, failed, unknown } = counts;
  return { ...counts, missing: Math.max(0, count - done - failed - unknown) };
}

export const status: Handler<typeof statusDeclaration> = async (context, { args }) => {
  const files: ({ file: string } & Awaited<ReturnType<typeof countsOf>>)[] = [];
  for (const file of args.output) files.push({ file, ...(await countsOf(file)) });
  if (context.flags.json) return context.out.json({ files });
  const rows = files.map(({ file, ...counts }) => {
    return [file, ...countNames.map((name) => cellOf(context, counts[name]))];
  });
  await context.out.table(titles('FILE', '>DONE', '>FAILED', '>UNKNOWN', '>MISSING'), rows);
};

export const report: Handler<typeof reportDeclaration> = async (context, { args }) => {
  const { flags, out } = context;
  const counts = { done: 0, failed: 0, unknown: 0, missing: 0 };
  const sums = { cost_rub: 0, unpriced: 0, input_tokens: 0, output_tokens: 0, attempts: 0 };
  const latencies = new Map<number, number>();
  const errors = new Map<string, { code: string; count: number; example: string }>();
  const take = (line: string, isDone: boolean) => {
    const { id = '', result } = resultIn(line);
    const { attempts, cost_rub, ms } = recordOf(result['svc']);
    const { input, output } = tokensOf(recordOf(result['response'])['body']);
    sums.cost_rub += numberOf(cost_rub) ?? 0;
    sums.unpriced += cost_rub === null ? 1 : 0;
    sums.input_tokens += input;
    sums.output_tokens += output;
    sums.attempts += numberOf(attempts) ?? 0;
    const latencyMs = numberOf(ms) ?? 0;
    if (isDone) latencies.set(latencyMs, (latencies.get(latencyMs) ?? 0) + 1);
    const code = isDone ? undefined : textOf(recordOf(result['error'])['code']);
    if (code === undefined) return;
    const { count, example } = errors.get(code) ?? { count: 0, example: id };
    errors.set(code, { code, count: count + 1, example });
  };
  for (const file of args.output) {
    const found = await countsOf(file, take);
    for (const name of countNames) counts[name] += found[name];
  }
  const sorted = [...latencies].sort(([one], [other]) => one - other);
  const latency = (share: number) => {
    let before = 0;
    return sorted.find(([, times]) => (before += times) >= share * counts.done)?.[0] ?? 0;
  };
  const figures = {
    ...counts,
    ...sums,
    cost_rub: Number(sums.cost_rub.toFixed(6)),
    ...{ p50_ms: latency(0.5), p95_ms: latency(0.95), p99_ms: latency(0.99) },
  };
  const byCount = [...errors.values()].sort((one, other) => other.count - one.count);
  if (flags.json) return out.json({ ...figures, errors: byCount });
  const rows = Object.entries(figures).map(([name, figure]) => {
    return [name.replaceAll('_', ' '), cellOf(context, figure)];
  });
  await out.fields(rows);
  if (byCount.length === 0) return;
  const errorRows = byCount.map(({ code, count, example }) => [code, String(count), example]);
  await out.table(titles('ERROR', '>COUNT', 'EXAMPLE'), errorRows);
};

function cellOf(context: Parameters<typeof countCell>[0], count: number): string {
  return countCell(context, Number.isNaN(count) ? undefined : count);
}
