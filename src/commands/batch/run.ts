/** `svc batch run`: checks an input, sends what is missing of it, and sums up. */
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Client } from '../../api/client.js';
import { Engine, newProgress, type Sinks } from '../../batch/engine.js';
import { openInput, type BatchInput } from '../../batch/input.js';
import { Limits } from '../../batch/limits.js';
import { openMoney } from '../../batch/money.js';
import type { BatchRequest } from '../../batch/request.js';
import { journalOf, readWritten, Results, type Written } from '../../batch/results.js';
import { createSend } from '../../batch/send.js';
import { shardFrom } from '../../batch/shard.js';
import { sentAgain } from '../../batch/unknown.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { Incomplete, LocalFileError, Pending, UsageError } from '../../errors.js';
import { assertDifferent, realName } from '../../files/named-file.js';
import { limit, noTimer } from '../../http/deadline.js';
import { createPoolTransport } from '../../http/pool.js';
import { formatRub } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import { splitExtension } from '../../lib/file-name.js';
import { plainText } from '../../lib/plain-text.js';
import { accountFor } from '../../state/account.js';
import { withLock } from '../../state/lock.js';
import { learntLimits } from '../../state/small-files.js';
import { ReaderGone } from '../../terminal/writer.js';
import type { run as declaration } from './index.js';
import { estimate } from './estimate.js';
import { standing, watch } from './progress.js';

type Options = InputOf<typeof declaration>['options'];

const mostInFlight = 256;
const mostNamed = 10;
const syncEveryMs = 200;
/** After Ctrl-C, for what is in flight. */
const graceMs = 10_000;
/** From here on, little memory matters more than time. */
const largeBytes = 8 * 1024 * 1024;

export const run: Handler<typeof declaration> = async (context, { args, options }) => {
  const output = options.output === '-' ? undefined : options.output;
  const journal = output === undefined ? undefined : journalOf(output);
  const { input: inputPath } = args;
  assertDifferent([inputPath, output, journal, options.errors], 'the input, -o and --errors');
  if (context.flags.json && output === undefined && options.estimate !== true) {
    const details = { code: 'usage', hint: 'svc batch run --help' };
    throw new UsageError('--json prints a summary on stdout, so it needs -o FILE', details);
  }
  const shard = shardFrom(options.shard, context.env);
  const input = await openInput(context, inputPath, options);
  const { size = Infinity } = statSync(inputPath, { throwIfNoEntry: false }) ?? {};
  if (size > largeBytes) {
    // A larger heap would save a fifth of the time, and cost half as much memory again.
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--heap-growing-percent=30');
  }
  const work = () => runInput(context, input, output, options, (id) => shard?.holds(id) ?? true);
  try {
    if (output === undefined) {
      await work();
      return;
    }
    // Beside it: processes of other machines or users may write it, too.
    await withLock(`${realName(output)}.lock`, { ...context, patienceMs: 0 }, work).catch(
      (error: unknown) => {
        if (!(error instanceof LocalFileError && error.code === 'locked')) throw error;
        const details = { code: 'locked', hint: 'wait for it, or choose another file with -o' };
        throw new LocalFileError(`another svc is writing ${output}; nothing was sent`, details);
      },
    );
  } finally {
    await input.close();
  }
};

async function runInput(
  context: Context,
  input: BatchInput,
  output: string | undefined,
  options: Options,
  holds: (id: string) => boolean,
): Promise<void> {
  const { clock, env, flags, grace, out, signal } = context;
  grace.ms = graceMs + 1000;
  const written = output === undefined ? undefined : readWritten(output, options.errors);
  const { ids } = written ?? readWritten('', undefined);
  const placeOf = ({ id }: BatchRequest) => ids.placeOf(id);
  const unanswered: BatchRequest[] = [];
  let first: BatchRequest | undefined;
  let [held, todo, failedBefore, hasMedia] = [0, 0, 0, false];
  const facts = await input.check((request) => {
    const at = placeOf(request);
    const earlier = ids.line(at);
    if (earlier !== 0) return `its custom_id is also that of line ${earlier}`;
    ids.setLine(at, request.lineNumber);
    const sentBody = ids.body(at);
    if (sentBody !== 0 && sentBody !== hash32(request.body)) {
      return 'its body has changed since it was sent; give it another custom_id';
    }
    if (!holds(request.id)) return undefined;
    held += 1;
    hasMedia ||= ['job', 'media'].includes(request.row.paid ?? '');
    // What may be sent twice is sent again.
    if (ids.state(at) === 'sent' && request.row.retry !== 'never') ids.setState(at, 'new');
    if (ids.state(at) === 'sent') unanswered.push(request);
    if (ids.state(at) === 'failed') failedBefore += 1;
    if (ids.state(at) !== 'new') return undefined;
    first ??= request;
    todo += 1;
    return undefined;
  });
  if (output !== undefined && written) assertSameInput(output, written, facts.sha256);

  const client = await context.client();
  if (options.estimate) return estimate(context, client, input, options);
  /** A record of what has been set aside, written before what it is for is sent. */
  let setAside = '';
  const money = await openMoney(context, client, {
    budgetRub: options.budget,
    maxCostRub: flags.maxCostRub,
    journal: {
      committedRub: Math.max(written?.committedRub ?? 0, written?.spentRub ?? 0),
      commit: (rub) => (setAside = `$${rub.toFixed(6)}\n`),
    },
  });
  const { unknown: how = 'skip' } = options;
  const finding = { how, ids, output: output ?? '' };
  const again = flags.dryRun ? [] : await sentAgain(context, client, finding, unanswered);
  for (const request of again) ids.setState(placeOf(request), 'new');
  first ??= again[0];
  const progress = newProgress();
  progress.unknown.push(...unanswered.filter((request) => ids.state(placeOf(request)) === 'sent'));
  const watched = {
    progress,
    money,
    todo: todo + unanswered.length,
    before: { done: written?.done ?? 0, failed: (written?.failed ?? 0) + failedBefore },
    budgetRub: options.budget,
    startedAtMs: clock.now(),
  };
  // The pool connects when something is sent.
  const isPooled = !flags.local && !flags.dryRun;
  const connections = options.concurrency ?? mostInFlight;
  const pool = isPooled
    ? await createPoolTransport({ env, baseUrl: client.baseUrl, connections })
    : undefined;
  const { transport } = pool ?? client;
  let send = createSend(client, transport, (request, answer) => money.costOf(request, answer));
  if (hasMedia) {
    const { openMedia } = await import('../../batch/media.js');
    const folder = options.files ?? `${splitExtension(output ?? 'batch')[0]}-files`;
    send = await openMedia(context, { ...client, spending: undefined }, folder, send);
  }
  const limits = openLimits(context, client, options);
  const openResults = async () => {
    // What the first line may cost is known before anything is written.
    if (first) (await money.reserve(first))?.release();
    if (output === undefined || !written || flags.dryRun) return undefined;
    return new Results(output, options.errors, written, { ...facts, count: held }, clock.now());
  };
  const results = await openResults().catch(async (error: unknown) => {
    await money.close();
    throw error;
  });
  const note = (records: string) => {
    results?.note(setAside + records);
    setAside = '';
  };
  const sinks: Sinks = {
    note,
    add: (lines) => (results ? results.add(lines) : out.text(lines)),
    addErrors: options.errors && results ? (lines) => results.addErrors(lines) : undefined,
  };
  const late = new AbortController();
  const stop = AbortSignal.any([signal, late.signal]);
  const endTimer = limit(flags.timeoutMs ?? 0, () => late.abort());
  let endGrace = noTimer;
  const onStop = () => {
    const isGone = signal.reason instanceof ReaderGone;
    const words = `waiting for ${counted(progress.inFlight, 'answer')}; Ctrl-C ends at once`;
    if (progress.inFlight > 0 && !isGone) out.note(words);
    endGrace = limit(graceMs, () => void pool?.close());
  };
  stop.addEventListener('abort', onStop, { once: true });
  const engine = new Engine({
    requests: input.requests(),
    isWanted: (request) => holds(request.id) && ids.state(placeOf(request)) === 'new',
    send,
    limitsOf: limits.limitsOf,
    money,
    sinks,
    isOrdered: options.ordered === true,
    clock,
    stop,
    progress,
  });
  const stopWatching = await watch(context, options.progress, watched);
  let failure: Error | undefined;
  const fail = (error: unknown) => {
    failure ??= error instanceof Error ? error : new Error(String(error));
  };
  const syncing = setInterval(() => void results?.sync().catch(fail), syncEveryMs);
  try {
    await engine.run().finally(async () => {
      await money.close();
      note('');
    });
    await results?.sync();
  } catch (error) {
    fail(error);
  } finally {
    endTimer();
    endGrace();
    clearInterval(syncing);
    stopWatching();
    limits.keep();
    await pool?.close();
    results?.close();
  }
  if (flags.dryRun && failure !== undefined) throw failure;
  const now = standing(watched, clock.now());
  const names = progress.unknown.map(({ id }) => id);
  if (flags.json) await out.json({ ...now, unknown_ids: names, unsaved: progress.unsaved });
  else out.note(summary(now, progress.unsaved, clock.now() - watched.startedAtMs));
  if (names.length > 0 && !flags.json) out.note(unknownWords(names));
  signal.throwIfAborted();
  if (failure !== undefined) throw failure;
  const resuming = 'the same command continues where it stopped';
  if (stop.aborted)
    throw new Pending('the time limit passed', { code: 'deadline', hint: resuming });
  const missing = now.failed + now.unknown + now.left;
  if (missing === 0) return;
  let hint = now.unknown > 0 && now.left === 0 ? 'send them again with --unknown retry' : resuming;
  if (now.failed === missing) hint = '`svc batch report` shows why';
  const details = { code: 'batch_incomplete', hint };
  const words = `${missing} of ${counted(now.total, 'request')} without an answer`;
  throw new Incomplete(words, details);
}

function hash32(body: string): number {
  return parseInt(hash('sha256', body).slice(0, 8), 16);
}

function assertSameInput(output: string, { ids, input }: Written, sha256: string): void {
  if (input === undefined || input.sha256 === sha256) return;
  // Lines may have been added.
  for (const at of ids.places()) {
    if (ids.line(at) !== 0) continue;
    throw new UsageError(`${output} has answers to another input; nothing was sent`, {
      code: 'other_input',
      hint: 'choose another file with -o; `svc batch merge` joins several',
    });
  }
}

/** The limits of each model, and how to keep what is learned of them for the next run. */
function openLimits(context: Context, client: Client, { concurrency, rpm, tpm }: Options) {
  const { clock, paths } = context;
  const cache = learntLimits(paths, accountFor(context, client));
  const learnt = cache.read() ?? {};
  const random = () => clock.random();
  const byModel = new Map<string, Limits>();
  const limitsOf = ({ model, row }: BatchRequest): Limits => {
    const name = model ?? row.path;
    const given = { concurrency, rpm, tpm, learnt: learnt[name], random };
    const limits = byModel.get(name) ?? new Limits(given);
    byModel.set(name, limits);
    return limits;
  };
  const keep = () => {
    const kept = cache.read() ?? {};
    for (const [name, limits] of byModel) if (limits.learnt) kept[name] = limits.learnt;
    if (Object.keys(kept).length > 0) cache.keep(kept);
  };
  return { limitsOf, keep };
}

function summary(now: ReturnType<typeof standing>, unsaved: number, elapsedMs: number): string {
  const parts = [
    `${now.done} of ${now.total} done`,
    now.failed > 0 && `${now.failed} failed`,
    now.unknown > 0 && `${now.unknown} unknown`,
    now.left > unsaved && `${now.left - unsaved} not sent`,
    unsaved > 0 && `${counted(unsaved, 'answer')} not saved`,
    now.spent_rub > 0 && formatRub(now.spent_rub),
    formatElapsed(elapsedMs),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}

function unknownWords(names: readonly string[]): string {
  const shown = names
    .slice(0, mostNamed)
    .map((name) => plainText(name, 80))
    .join(', ');
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : '';
  return `may have been charged, without an answer: ${shown}${more}; \`--unknown retry\` sends them again`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
