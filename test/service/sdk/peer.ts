/** The embedded service over HTTP, for clients that this project did not write. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { FakeClock, keys } from '../helpers.js';
import { testFolder } from '../../helpers/folder.js';
import { gate } from '../../helpers/gate.js';
import type { Clock } from '../../../src/lib/clock.js';
import type { Reply } from '../../../src/service/call.js';
import type { ServiceRequest } from '../../../src/service/body.js';
import { listen } from '../../../src/service/listen.js';
import { createService, type Service } from '../../../src/service/service.js';

const UsageRecord = z.object({
  id: z.string(),
  model: z.string(),
  promptTokens: z.number(),
  completionTokens: z.number(),
});
const History = z.object({ data: z.array(UsageRecord), total: z.number() });

type UsageRecord = z.output<typeof UsageRecord>;

interface Exchange {
  readonly request: ServiceRequest;
  readonly response: Reply;
}

export interface PeerOptions {
  /** What local/script answers by. */
  readonly rules?: readonly object[];
  readonly clock?: Clock;
  /** What clients send, where only one key is accepted. */
  readonly key?: string;
}

interface Way {
  isDirect: boolean;
  to: (answer: Service['answer'], asked: { key: string; url: () => string }) => Service['answer'];
}

/** What clients ask: the service itself, unless a file of tests puts something before it. */
export const way: Way = { isDirect: true, to: (answer) => answer };

/** Starts a service of the running test's own; it ends with the test. */
export async function startPeer({
  rules,
  clock = new FakeClock(),
  key = keys.local,
}: PeerOptions = {}): Promise<Peer> {
  const scriptPath = rules && join(testFolder(), 'script.json');
  if (scriptPath) writeFileSync(scriptPath, JSON.stringify({ rules }));
  const service = createService({ storePath: ':memory:', clock, scriptPath });
  const exchanges: Exchange[] = [];
  const answer = way.to(service.answer, { key, url: () => server.url });
  const watched: Service['answer'] = async (request) => {
    const response = await answer(request);
    exchanges.push({ request, response });
    return response;
  };
  const server = await listen({ answer: watched }, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    service.close();
  });
  return new Peer(server.url, service, exchanges);
}

export class Peer {
  constructor(
    /** `http://127.0.0.1:…`, without a slash at its end. */
    readonly url: string,
    private readonly service: Service,
    /** What clients asked and got, in the order of the answers. */
    readonly exchanges: readonly Exchange[],
  ) {}

  /** The last request that a client sent. */
  get lastRequest(): ServiceRequest {
    const last = this.exchanges.at(-1);
    if (!last) throw new Error('nothing was asked yet');
    return last.request;
  }

  /** Runs one paid call: exactly one new record, with its id on the reply. */
  async paid<Result>(
    work: () => Promise<Result>,
  ): Promise<{ result: Result; record: UsageRecord }> {
    const [before, count] = [await this.#history(), this.exchanges.length];
    const result = await work();
    const { data, total } = await this.#history();
    expect(total - before.total).toBe(1);
    const [record] = data;
    if (!record) throw new Error('the history is empty');
    const replies = this.exchanges.slice(count).map(({ response }) => response.headers);
    const ids = replies.flatMap((headers) => headers['x-svc-generation-id'] ?? []);
    expect(ids).toEqual([record.id]);
    return { result, record };
  }

  /** Runs calls of which none may cost anything. */
  async free<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = await this.#history();
    const result = await work();
    expect(await this.#history()).toEqual(before);
    return result;
  }

  async #history() {
    return History.parse(await this.#get('/v1/generations?limit=1'));
  }

  /** Asks the service past the network, so that it does not count among the exchanges. */
  async #get(path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${keys.local}` };
    const response = await this.service.fetch(new Request(this.url + path, { headers }));
    return response.json();
  }
}

/** All of an async iterable. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Longer timers are limits on a whole call, not waits. */
const maxWaitMs = 100_000;
const inPackage = /node_modules\/(?:openai|openai-4|@anthropic-ai)\//;

/**
 * Ends every wait of the packages at once while the running test lasts; gives the lengths of
 * the waits in milliseconds, in order.
 */
export function skipWaits(): readonly number[] {
  const waits: number[] = [];
  const later = globalThis.setTimeout;
  vi.stubGlobal('setTimeout', (work: () => void, ms = 0) => {
    const isWait = ms < maxWaitMs && inPackage.test(new Error().stack ?? '');
    if (isWait) waits.push(ms);
    return later(work, isWait ? 0 : ms);
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return waits;
}

/** A clock that never wakes a sleep: it lasts until its signal aborts. */
export class HeldClock extends FakeClock {
  readonly #begun = gate();
  readonly #stopped = gate();
  /** Resolves when a sleep begins. */
  readonly begun = this.#begun.opened;
  /** Resolves when a sleep was broken off. */
  readonly stopped = this.#stopped.opened;

  override async sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    this.#begun.open();
    if (signal && !signal.aborted) await once(signal, 'abort');
    this.#stopped.open();
    throw new Error('the sleep was broken off');
  }
}
