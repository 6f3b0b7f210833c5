/** Calls that continue when their client stops waiting: an equal call waits for the same result, and pays for nothing. */
import { stat } from 'node:fs/promises';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../lib/clock.js';
import type { JsonRecord } from '../../lib/json.js';
import { cancelled, type Exchange } from './server.js';
import { wordsFor, type CommandTool } from './tools.js';

/** Less than any client waits, and longer than a wait for a job, whose result has the id. */
const maxWaitMs = 48_000;

/** Who waits for a call. */
type Waiter = Pick<Exchange, 'signal' | 'onProgress'>;

/** One run of a tool, for all clients that wait for it. */
export class SharedCall {
  readonly #waiters = new Set<Waiter>();
  readonly #arrivals = new EventTarget();
  readonly #stopped = new AbortController();
  /** Whether a client has been told to call again. */
  #isPromised = false;
  /** Whether the output was let through, after which the run counts as shown. */
  #isDelivered = false;
  isEnded = false;
  readonly end: Promise<CallToolResult>;

  /** @param key equal for equal requests */
  constructor(
    readonly key: string,
    run: (call: SharedCall) => Promise<CallToolResult>,
  ) {
    this.end = run(this).finally(() => (this.isEnded = true));
  }

  /** Aborted when the only client cancels the call before its output, or the server ends. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  readonly onProgress = (words: string): void => {
    for (const { onProgress } of this.#waiters) onProgress?.(words);
  };

  /** Resolves when a client waits, which then gets the output. @throws the reason when the call is stopped */
  readonly delivery = async (): Promise<void> => {
    if (this.#waiters.size === 0)
      await new Promise<unknown>((resolve) => {
        this.#arrivals.addEventListener('arrival', resolve, { once: true });
        this.signal.addEventListener('abort', resolve, { once: true });
      });
    this.signal.throwIfAborted();
    this.#isDelivered = true;
  };

  /** @returns undefined when it takes longer than the client may wait. @throws when the client cancels it */
  async result(waiter: Waiter, clock: Clock): Promise<CallToolResult | undefined> {
    this.#waiters.add(waiter);
    this.#arrivals.dispatchEvent(new Event('arrival'));
    const left = new AbortController();
    const until = AbortSignal.any([waiter.signal, left.signal]);
    try {
      const late = clock.sleep(waiter.onProgress ? Infinity : maxWaitMs, until);
      const result = await Promise.race([this.end, late]);
      if (result || this.#isDelivered) return await this.end;
      this.#isPromised = true;
      return undefined;
    } finally {
      left.abort();
      this.#waiters.delete(waiter);
      // What counts as shown would not be resumed: the next equal call gets it.
      const isKept = this.#isPromised || this.#isDelivered || this.#waiters.size > 0;
      if (waiter.signal.aborted && !isKept) this.stop();
    }
  }

  stop(): void {
    this.#stopped.abort(cancelled());
  }
}

/** The shared calls of a server whose result no client has got. */
export class SharedCalls {
  readonly #calls = new Set<SharedCall>();

  constructor(private readonly clock: Clock) {}

  /**
   * Waits for the equal call that was begun first, or begins one.
   * @returns undefined where it continues: the next equal call waits for it
   */
  async join(
    { key, isNew }: { readonly key: string; readonly isNew: boolean },
    waiter: Waiter,
    run: (call: SharedCall) => Promise<CallToolResult>,
  ): Promise<CallToolResult | undefined> {
    const equal = () => [...this.#calls].find((one) => one.key === key);
    let call = isNew ? undefined : equal();
    // What a cancelled one has paid for is resumed once it has ended.
    for (; call?.signal.aborted; call = equal()) await this.#over(call);
    if (!call) this.#calls.add((call = new SharedCall(key, run)));
    try {
      return await call.result(waiter, this.clock);
    } finally {
      if (call.isEnded) this.#calls.delete(call);
      else if (call.signal.aborted) void this.#over(call);
    }
  }

  /** Stops all, and waits for their ends. */
  async end(): Promise<void> {
    for (const call of this.#calls) call.stop();
    await Promise.all([...this.#calls].map((call) => this.#over(call)));
  }

  async #over(call: SharedCall): Promise<void> {
    await call.end.catch(() => undefined);
    this.#calls.delete(call);
  }
}

/** Arguments that are no part of a request. */
const apart = ['maxCost', 'new', 'timeout'];

/**
 * Equal for equal requests, whatever they may cost or take: of a file, its content counts.
 * @throws UsageError for arguments that do not fit
 */
export async function keyOf(tool: CommandTool, given: JsonRecord, folder: string): Promise<string> {
  const request = Object.entries(given).filter(([name]) => !apart.includes(name));
  const words = wordsFor(tool, Object.fromEntries(request), folder);
  const naming = [...tool.args.map((one) => [one.name, one] as const), ...tool.options]
    .filter(([, one]) => 'completes' in one && /^(file|option)$/.test(String(one.completes)))
    .map(([name]) => name);
  const values = request.flatMap(([name, value]) => (naming.includes(name) ? value : []));
  // A name may contain an equals sign, and may follow that of an option: `NAME=FILE`, `NAME=@FILE`.
  const paths = values.map(String).flatMap((one) => [one, one.replace(/^[\w.-]+=@?/, '')]);
  return JSON.stringify([words, await Promise.all(paths.map(contentHash))]);
}

/** @returns undefined where there is no such file */
async function contentHash(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const { sourceHash } = await import('../../media/sources.js');
  // What cannot be read is refused by the command.
  return sourceHash({ path }).catch(() => undefined);
}
