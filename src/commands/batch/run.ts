/** `svc batch run`: checks an input, sends what is missing of it, and sums up. */
import { setFlagsFromString } from 'node:v8';
import type { Client } from '../../api/client.js';
import { checkInput, type CheckedInput } from '../../batch/check.js';
import { Engine } from '../../batch/engine.js';
import { openInput, type BatchInput } from '../../batch/input.js';
import { ModelLimits } from '../../batch/limits.js';
import { BatchMoney } from '../../batch/money.js';
import type { BatchRequest } from '../../batch/request.js';
import { journalOf, lockOf } from '../../batch/output-name.js';
import { newProgress } from '../../batch/progress.js';
import { Results } from '../../batch/results.js';
import { createSend, type LineSender } from '../../batch/send.js';
import { shardFrom } from '../../batch/shard.js';
import { firstNames, requestsToResend } from '../../batch/unknown.js';
import type { Context, Handler } from '../../context.js';
import type { InputOf } from '../../command.js';
import { LocalFileError, Pending, UsageError, ReaderGone } from '../../errors.js';
import { assertDifferent } from '../../files/named-file.js';
import { whatIsAt } from '../../files/target.js';
import { limit } from '../../http/deadline.js';
import { createPoolTransport } from '../../http/pool.js';
import { formatElapsed } from '../../lib/duration.js';
import { splitExtension } from '../../lib/file-name.js';
import { keepHeapSmall } from '../../lib/small-heap.js';
import { accountFor } from '../../state/account.js';
import { hasBudget } from '../../spending/open-budget.js';
import { withLock } from '../../state/lock.js';
import { learntLimits } from '../../state/small-files.js';
import type { run as declaration } from './index.js';
import { estimate } from './estimate.js';
import { assertComplete, counted, resuming, spentWords } from './progress.js';
import { standing, watch, type Watched } from './progress.js';
import { TextLines } from './text.js';

type BatchOptions = InputOf<typeof declaration>['options'];

/** What a run was called for. */
interface Batch {
  readonly context: Context;
  readonly input: BatchInput;
  /** Undefined for stdout. */
  readonly output: string | undefined;
  readonly options: BatchOptions;
  /** Whether a request belongs to the shard. */
  readonly holds: (id: string) => boolean;
}

const maxInFlight = 256;
const syncEveryMs = 200;
/** After Ctrl-C, for what is in flight. */
const graceMs = 10_000;
/** From here on, little memory matters more than time. */
const largeBytes = 8 * 1024 * 1024;

export const run: Handler<typeof declaration> = async (context, { args, options }) => {
  const output = options.output === '-' ? undefined : options.output;
  await assertFile(output);
  const journal = output === undefined ? undefined : journalOf(output);
  for (const path of [journal, options.errors]) await assertFile(path);
  assertDifferent([args.input, output, journal, options.errors], 'the input, -o and --errors');
  if (context.flags.json && output === undefined && options.estimate !== true) {
    const hint = 'svc batch run --help';
    throw new UsageError('--json prints a summary on stdout, so it needs -o FILE', { hint });
  }
  const shard = shardFrom(options.shard, context.env);
  const input = await openInput(context, args.input, options);
  if (input.bytes > largeBytes) {
    // A larger heap would save a fifth of the time, and cost half as much memory again.
    await keepHeapSmall();
    setFlagsFromString('--heap-growing-percent=30');
  }
  const holds = (id: string) => shard?.holds(id) ?? true;
  const work = () => runBatch({ context, input, output, options, holds });
  try {
    const writes = !options.estimate && !context.flags.dryRun;
    await (output !== undefined && writes ? withOutput(context, output, work) : work());
  } finally {
    await input.close();
  }
};

/** @throws UsageError for a folder, a device, and a name that is too long */
async function assertFile(path?: string): Promise<void> {
  const there = path === undefined ? 'file' : await whatIsAt(path);
  if (there === 'file' || there === undefined) return;
  const hint = 'without -o, answers go to stdout';
  throw new UsageError(`${path} is not a regular file`, { code: 'not_a_file', hint });
}

/** The lock is beside it: processes of other machines or users may write it, too. */
async function withOutput(context: Context, output: string, work: () => Promise<void>) {
  const lock = { ...context, patienceMs: 0 };
  await withLock(lockOf(output), lock, work).catch((error: unknown) => {
    if (!(error instanceof LocalFileError && error.code === 'locked')) throw error;
    const details = {
      code: 'locked',
      hint: 'wait for it, or choose another file with -o',
    } as const;
    throw new LocalFileError(`another svc is writing ${output}; nothing was sent`, details);
  });
}

async function runBatch(batch: Batch): Promise<void> {
  const { context, holds, input, options, output } = batch;
  const { clock, flags, grace } = context;
  grace.ms = graceMs + 1000;
  const isLimited = flags.maxCostRub !== undefined || hasBudget(context);
  const checked = await checkInput({ input, output, errors: options.errors, holds, isLimited });
  const { unanswered, unpriced, written } = checked;
  const { ids } = written;
  // Its end is that of the sending, which starts no request then and waits for those in progress.
  const { timeoutMs } = flags;
  const timeLimit = timeoutMs === undefined ? undefined : { leftMs: () => timeoutMs };
  const client = { ...(await context.client()), timeLimit };
  const files = filesOf(batch, checked);
  const money = await BatchMoney.open(context, client, {
    maxCostRub: flags.maxCostRub,
    isFitted: options.shorten,
    journal: {
      committedRub: written.committedRub,
      spentRub: written.spentRub,
      // Of runs with a ceiling, what they set aside counts: lines may have been shortened to it.
      unpriced: written.isUnlimited ? [...unanswered, ...unpriced] : [],
      commit: (rub) => files.open()?.note(`$${rub.toFixed(6)}\n`),
    },
  });
  const isWanted = ({ id }: BatchRequest) => holds(id) && ids.state(ids.placeOf(id)) === 'new';
  if (options.estimate) return estimate({ context, client, input, isWanted, money, options });
  if (options.shorten && !money.isLimited && !flags.dryRun) {
    const hint = 'svc batch run --max-cost 10 --shorten …';
    throw new UsageError('--shorten needs --max-cost or a budget', { hint });
  }
  const search = { how: options.unknown ?? 'skip', ids, output: output ?? '' };
  const again = flags.dryRun ? [] : await requestsToResend(context, client, search, unanswered);
  for (const { id } of again) ids.setState(ids.placeOf(id), 'new');
  const progress = newProgress();
  progress.unknown.push(...unanswered.filter((request) => !isWanted(request)));
  const watched = {
    progress,
    money,
    todo: checked.todo + unanswered.length,
    before: written,
    maxCostRub: flags.maxCostRub,
    startedAtMs: clock.now(),
  };
  const { concurrency, rpm, tpm } = options;
  const cache = learntLimits(context.paths, accountFor(context, client));
  const limits = new ModelLimits(cache, { concurrency, rpm, tpm, random: () => clock.random() });
  const left = checked.todo + again.length;
  const hasMedia = checked.hasMedia && left > 0;
  const sender = await openSender({ batch, client, money, hasMedia, left });
  await sendAll({ batch, left, files, isWanted, limits, money, sender, watched });
  assertComplete(standing(watched, clock.now()), output);
}

/** The files of the output, opened with the first record: what is refused as a whole writes nothing. */
interface Files {
  opened: Results | undefined;
  /** Undefined where the answers go to stdout, or nothing is sent. */
  readonly open: () => Results | undefined;
}

function filesOf({ context, options, output }: Batch, { facts, written }: CheckedInput): Files {
  const { clock, flags } = context;
  const files: Files = {
    opened: undefined,
    open: () => {
      if (output === undefined || flags.dryRun) return undefined;
      const paths = { output, errors: options.errors };
      return (files.opened ??= new Results(paths, written, facts, clock));
    },
  };
  return files;
}

interface SendingRun {
  readonly batch: Batch;
  /** How many requests are sent. */
  readonly left: number;
  readonly files: Files;
  readonly isWanted: (request: BatchRequest) => boolean;
  readonly limits: ModelLimits;
  readonly money: BatchMoney;
  readonly sender: Sender;
  readonly watched: Watched;
}

/** @throws what ended it early, after its files are closed and it is summed up */
async function sendAll(run: SendingRun): Promise<void> {
  const { batch, files, isWanted, left, limits, money, sender, watched } = run;
  const { context, input, options, output } = batch;
  const { clock, flags, out, signal } = context;
  const ended = new AbortController();
  const stop = stopSignal(run, ended);
  const isShown = options.output === undefined && out.isTerminal && !flags.dryRun;
  const text = (options.text ?? isShown) ? new TextLines(out) : undefined;
  if (output === undefined && out.isErrorTerminal && !flags.dryRun)
    out.note('-o FILE keeps the answers, and the same command then sends only what is missing');
  // Before that, a refusal is all there is to say.
  let isStarted = false;
  const engine = new Engine({
    requests: input.requests(left),
    isWanted,
    send: text?.asking(sender.send) ?? sender.send,
    cached: text?.asking(sender.cached) ?? sender.cached,
    limitsOf: (request) => limits.of(request),
    money,
    sinks: {
      note: (records) => {
        files.open()?.note(records);
        isStarted = !flags.dryRun;
      },
      syncNotes: () => files.opened?.syncNotes(),
      add: (lines) => {
        if (!files.open()) return text ? text.add(lines) : out.text(lines);
        files.opened?.add(lines);
        // What is saved must not be saved again because it cannot be shown.
        return text?.add(lines).catch((error: unknown) => ended.abort(error));
      },
      addErrors: options.errors && output ? (lines) => files.opened?.addErrors(lines) : undefined,
    },
    isOrdered: options.ordered === true,
    clock,
    stop,
    progress: watched.progress,
  });
  const stopWatching = await watch(context, options.progress, watched);
  const syncing = setInterval(() => {
    files.opened?.sync().catch((error: unknown) => ended.abort(error));
  }, syncEveryMs);
  try {
    const running = engine.run().finally(() => money.close());
    await running.finally(() => files.opened?.sync());
    isStarted = true;
    await files.open()?.sync();
  } finally {
    clearInterval(syncing);
    stopWatching();
    limits.keep();
    await sender.close();
    files.opened?.close();
    if (isStarted) await sumUp(context, watched);
    // What ended it matters more than a failure after that.
    signal.throwIfAborted();
  }
  stop.throwIfAborted();
}

/** Aborts with Ctrl-C, with the time limit, and with `ended`: what is in flight is then awaited. */
function stopSignal({ batch, sender, watched }: SendingRun, ended: AbortController): AbortSignal {
  const { flags, out, signal } = batch.context;
  const { output } = batch;
  const { progress } = watched;
  limit(flags.timeoutMs ?? 0, () => {
    ended.abort(new Pending('the time limit passed', { code: 'deadline', hint: resuming(output) }));
  });
  const stop = AbortSignal.any([signal, ended.signal]);
  stop.addEventListener('abort', () => {
    const isSilent = progress.inFlight === 0 || signal.reason instanceof ReaderGone;
    const answers = counted(progress.inFlight, 'answer');
    if (!isSilent) out.note(`waiting for ${answers}; Ctrl-C ends at once`);
    limit(graceMs, () => void sender.close());
  });
  return stop;
}

/** How one request is sent. */
interface Sender extends LineSender {
  readonly close: () => Promise<void> | undefined;
}

/** The pool connects when it sends. */
async function openSender({
  batch: { context, options },
  client,
  money,
  left,
  hasMedia,
}: Pick<SendingRun, 'batch' | 'left' | 'money'> & {
  client: Client;
  hasMedia: boolean;
}): Promise<Sender> {
  const { concurrency: connections = maxInFlight, files, output = 'batch' } = options;
  const { env, flags } = context;
  const { baseUrl } = client;
  const isPooled = !flags.local && !flags.dryRun && !client.tape && left > 0;
  const pool = isPooled ? await createPoolTransport({ env, baseUrl, connections }) : undefined;
  const close = () => pool?.close();
  const sender = createSend(client, (pool ?? client).transport, money);
  if (!hasMedia) return { ...sender, close };
  const { openMedia } = await import('../../batch/media.js');
  const folder = files ?? `${splitExtension(output === '-' ? 'batch' : output)[0]}-files`;
  const paying = { ...client, spending: undefined };
  return { ...sender, send: await openMedia(context, paying, folder, sender.send), close };
}

async function sumUp({ clock, flags, out }: Context, watched: Watched): Promise<void> {
  const now = standing(watched, clock.now());
  const { unknown, unsaved } = watched.progress;
  const names = unknown.map(({ id }) => id);
  if (flags.json) return out.json({ ...now, unknownIds: names, unsaved });
  const parts = [
    `${now.done} of ${now.total} done`,
    now.cached !== undefined && `${now.cached} cached`,
    now.failed > 0 && `${now.failed} failed`,
    now.unknown > 0 && `${now.unknown} unknown`,
    now.left > unsaved && `${now.left - unsaved} not sent`,
    unsaved > 0 && `${counted(unsaved, 'answer')} not saved`,
    now.cost.inAllRub > 0 && spentWords(now.cost, out.language),
    formatElapsed(clock.now() - watched.startedAtMs),
  ];
  out.note(parts.filter((part) => part !== false).join(' · '));
  if (names.length === 0) return;
  const lost = `may have been charged, without an answer: ${firstNames(names)}`;
  out.note(`${lost}; \`--unknown retry\` sends them again`);
}
