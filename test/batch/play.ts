/** A batch against answers that a test gives. */
import { Engine } from '../../src/batch/engine.js';
import { newProgress } from '../../src/batch/progress.js';
import { Limits } from '../../src/batch/limits.js';
import type { BatchAnswer, BatchRequest } from '../../src/batch/request.js';
import type { Sinks, Work } from '../../src/batch/work.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import { ApiError } from '../../src/errors.js';
import { SkippingClock } from '../helpers/manual-clock.js';

export const requests = (count: number): BatchRequest[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `q${index + 1}`,
    lineNumber: index + 1,
    row: createChatCompletion,
    model: 'm',
    body: `{"n":${index + 1}}`,
  }));

export const answer: BatchAnswer = {
  status: 200,
  requestId: 'r1',
  generationId: 'g1',
  body: '{"ok":true}',
  costRub: 0.25,
  tokens: 10,
};

export const busy = () => new ApiError('too many', { status: 429, retryAfterMs: 1000 });
const held = { settle: () => undefined, release: () => undefined };

/** Runs a batch whose answers a test gives; `log` is everything that happened, in order. */
export async function play(
  count: number,
  send: (id: string, attempt: number) => Promise<BatchAnswer>,
  more: Omit<Partial<Work>, 'sinks'> & { concurrency?: number; sinks?: Partial<Sinks> } = {},
) {
  const log: string[] = [];
  const attempts = new Map<string, number>();
  const clock = new SkippingClock();
  const progress = newProgress();
  const limits = new Limits({ concurrency: more.concurrency ?? 2, random: () => 0.5 });
  const idsIn = (lines: string) => [...lines.matchAll(/"custom_id":"(\w+)"/g)].map(([, id]) => id);
  const sinks = {
    note: (records: string) => void log.push(...records.trimEnd().split('\n')),
    syncNotes: () => Promise.resolve(),
    add: (lines: string) => void log.push(...idsIn(lines).map((id) => `out ${id}`)),
    ...more.sinks,
  };
  const engine = new Engine({
    requests: (async function* () {
      yield await Promise.resolve(requests(count));
    })(),
    isWanted: () => true,
    limitsOf: () => limits,
    money: { reserve: () => held },
    isOrdered: false,
    clock,
    stop: new AbortController().signal,
    progress,
    ...more,
    sinks,
    send: async ({ id }) => {
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      log.push(`send ${id}`);
      return await send(id, attempt);
    },
  });
  const error: unknown = await engine.run().catch((failure: unknown) => failure);
  return { error, log, progress, clock };
}

/** Answers that a test releases one by one. */
export function gates() {
  const waiting = new Map<string, (value: BatchAnswer) => void>();
  return {
    send: (id: string) => new Promise<BatchAnswer>((resolve) => waiting.set(id, resolve)),
    open: (id: string) => waiting.get(id)?.(answer),
  };
}

export const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
