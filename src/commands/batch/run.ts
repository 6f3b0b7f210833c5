/** `svc batch run`: checks an input, sends what is missing of it, and sums up. */
import { hash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import type { Client } from '../../api/client.js';
import { Engine } from '../../batch/engine.js';
import { openInput, type BatchInput } from '../../batch/input.js';
import { Limits } from '../../batch/limits.js';
import { BatchMoney } from '../../batch/money.js';
import type { BatchRequest } from '../../batch/request.js';
import { journalOf, mainName } from '../../batch/output-name.js';
import { newProgress } from '../../batch/progress.js';
import { noEarlierOutput, readEarlierOutput, Results } from '../../batch/results.js';
import { createSend } from '../../batch/send.js';
import { shardFrom } from '../../batch/shard.js';
import { firstNames, sentAgain } from '../../batch/unknown.js';
import type { Context, Handler } from '../../context.js';
import type { InputOf } from '../../command.js';
import { Incomplete, LocalFileError, Pending, UsageError, ReaderGone } from '../../errors.js';
import { assertDifferent } from '../../files/named-file.js';
import { whatIsAt } from '../../files/target.js';
import { limit } from '../../http/deadline.js';
import { createPoolTransport } from '../../http/pool.js';
import { formatElapsed } from '../../lib/duration.js';
import { splitExtension } from '../../lib/file-name.js';
import { accountFor } from '../../state/account.js';
import { withLock } from '../../state/lock.js';
import { learntLimits } from '../../state/small-files.js';
import type { run as declaration } from './index.js';
import { estimate } from './estimate.js';
import { spentWords, standing, watch, type Watched } from './progress.js';

type Options = InputOf<typeof declaration>['options'];

const mostInFlight = 256;
const syncEveryMs = 200;
/** After Ctrl-C, for what is in flight. */
const graceMs = 10_000;
/** From here on, little memory matters more than time. */
const largeBytes = 8 * 1024 * 1024;
const resuming = 'the same command continues where it stopped';

export const run: Handler<typeof declaration> = async (context, { args, options }) => {
  const output = options.output === '-' ? undefined : options.output;
  for (const path of [output && `${output}.sent`, output, options.errors]) {
    const there = path === undefined ? 'file' : await whatIsAt(path);
    if (there === 'file' || there === undefined) continue;
    const hint = 'without -o, answers go to stdout';
    throw new UsageError(`${path} is not a regular file`, { code: 'not_a_file', hint });
  }
  const journal = output === undefined ? undefined : journalOf(output);
  assertDifferent([args.input, output, journal, options.errors], 'the input, -o and --errors');
  if (context.flags.json && output === undefined && options.estimate !== true) {
    const details = { code: 'usage', hint: 'svc batch run --help' } as const;
    throw new UsageError('--json prints a summary on stdout, so it needs -o FILE', details);
  }
  const shard = shardFrom(options.shard, context.env);
  const input = await openInput(context, args.input, options);
  if (input.bytes > largeBytes) {
    // A larger heap would save a fifth of the time, and cost half as much memory again.
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--heap-growing-percent=30');
  }
  const work = () => runInput(context, input, output, options, (id) => shard?.holds(id) ?? true);
  try {
    await (output === undefined ? work() : withOutput(context, output, work));
  } finally {
    await input.close();
  }
};

/** The lock is beside it: processes of other machines or users may write it, too. */
async function withOutput(context: Context, output: string, work: () => Promise<void>) {
  const lock = { ...context, patienceMs: 0 };
  await withLock(`${mainName(output)}.lock`, lock, work).catch((error: unknown) => {
    if (!(error instanceof LocalFileError && error.code === 'locked')) throw error;
    const details = {
      code: 'locked',
      hint: 'wait for it, or choose another file with -o',
    } as const;
    throw new LocalFileError(`another svc is writing ${output}; nothing was sent`, details);
  });
}

async function runInput(
  context: Context,
  input: BatchInput,
  output: string | undefined,
  options: Options,
  holds: (id: string) => boolean,
): Promise<void> {
  const { clock, flags, grace, out, signal } = context;
  grace.ms = graceMs + 1000;
  const checked = await checkInput(input, output, options, holds);
  const { unanswered, written } = checked;
  const { ids } = written;
  // Its end is that of the sending, which starts no request then and waits for those in progress.
  const { timeoutMs } = context.flags;
  const timeLimit = timeoutMs === undefined ? undefined : { leftMs: () => timeoutMs };
  const client = { ...(await context.client()), timeLimit };
  let results: Results | undefined;
  const opened = () => {
    if (output === undefined || flags.dryRun) return undefined;
    const paths = { output, errors: options.errors };
    return (results ??= new Results(paths, written, checked.facts, clock));
  };
  const money = await BatchMoney.open(context, client, {
    budgetRub: options.budget,
    maxCostRub: flags.maxCostRub,
    isFitted: options.fit,
    journal: {
      committedRub: Math.max(written.committedRub, written.spentRub),
      commit: (rub) => opened()?.note(`$${rub.toFixed(6)}\n`),
    },
  });
  const isWanted = ({ id }: BatchRequest) => holds(id) && ids.state(ids.placeOf(id)) === 'new';
  if (options.estimate) return estimate({ context, client, input, isWanted, money, options });
  if (options.fit && !money.isLimited && !flags.dryRun) {
    const hint = 'svc batch run --budget 10 --fit …';
    throw new UsageError('--fit needs --budget, --max-cost or a budget', { code: 'usage', hint });
  }
  const finding = { how: options.unknown ?? 'skip', ids, output: output ?? '' };
  const again = flags.dryRun ? [] : await sentAgain(context, client, finding, unanswered);
  for (const { id } of again) ids.setState(ids.placeOf(id), 'new');
  const progress = newProgress();
  progress.unknown.push(...unanswered.filter((request) => !isWanted(request)));
  const watched = {
    progress,
    money,
    todo: checked.todo + unanswered.length,
    before: written,
    budgetRub: options.budget,
    startedAtMs: clock.now(),
  };
  const sending = await openSending(context, client, money, options, checked.hasMedia);
  const limits = openLimits(context, client, options);

  const ended = new AbortController();
  limit(flags.timeoutMs ?? 0, () => {
    ended.abort(new Pending('the time limit passed', { code: 'deadline', hint: resuming }));
  });
  const stop = AbortSignal.any([signal, ended.signal]);
  stop.addEventListener('abort', () => {
    const isSilent = progress.inFlight === 0 || signal.reason instanceof ReaderGone;
    const answers = counted(progress.inFlight, 'answer');
    if (!isSilent) out.note(`waiting for ${answers}; Ctrl-C ends at once`);
    limit(graceMs, () => void sending.close());
  });
  // Before that, a refusal is all there is to say.
  let isStarted = false;
  const engine = new Engine({
    requests: input.requests(),
    isWanted,
    send: sending.send,
    limitsOf: limits.limitsOf,
    money,
    sinks: {
      note: (records) => {
        opened()?.note(records);
        isStarted = !flags.dryRun;
      },
      syncNotes: () => results?.syncNotes(),
      add: (lines) => (results ? results.add(lines) : out.text(lines)),
      addErrors: options.errors && output ? (lines) => results?.addErrors(lines) : undefined,
    },
    isOrdered: options.ordered === true,
    clock,
    stop,
    progress,
  });
  const stopWatching = await watch(context, options.progress, watched);
  const syncing = setInterval(() => {
    results?.sync().catch((error: unknown) => ended.abort(error));
  }, syncEveryMs);
  try {
    const running = engine.run().finally(() => money.close());
    await running.finally(() => results?.sync());
    isStarted = true;
    await opened()?.sync();
  } finally {
    clearInterval(syncing);
    stopWatching();
    limits.keep();
    await sending.close();
    results?.close();
    if (isStarted) await sumUp(context, watched);
    // What ended it matters more than a failure after that.
    signal.throwIfAborted();
  }
  stop.throwIfAborted();
  assertComplete(standing(watched, clock.now()));
}

/** Checks each line by itself, and against the lines before it and what is written. */
async function checkInput(
  input: BatchInput,
  output: string | undefined,
  { errors }: Options,
  holds: (id: string) => boolean,
) {
  const written = output === undefined ? noEarlierOutput() : readEarlierOutput(output, errors);
  const { ids } = written;
  const unanswered: BatchRequest[] = [];
  let [count, todo, hasMedia] = [0, 0, false];
  const { sha256 } = await input.check((request) => {
    const { body, id, lineNumber, row } = request;
    const at = ids.placeOf(id);
    const earlier = ids.line(at);
    if (earlier !== 0) return `its custom_id is also that of line ${earlier}`;
    ids.setLine(at, lineNumber);
    const sentBody = ids.body(at);
    if (sentBody !== 0 && sentBody !== parseInt(hash('sha256', body).slice(0, 8), 16)) {
      return 'its body has changed since it was sent; give it another custom_id';
    }
    if (!holds(id)) return undefined;
    count += 1;
    hasMedia ||= ['job', 'media'].includes(row.paid ?? '');
    // What may be sent twice is sent again.
    if (ids.state(at) === 'sent' && row.retry !== 'never') ids.setState(at, 'new');
    const state = ids.state(at);
    if (state === 'sent') unanswered.push(request);
    if (state === 'failed') written.failed += 1;
    if (state === 'new') todo += 1;
    return undefined;
  });
  // Lines may have been added.
  const isOther = written.sha256 !== '' && written.sha256 !== sha256;
  if (isOther && Array.from(ids.places()).some((at) => ids.line(at) === 0)) {
    throw new UsageError(`${output ?? ''} has answers to another input; nothing was sent`, {
      code: 'other_input',
      hint: 'choose another file with -o; `svc batch merge` joins several',
    });
  }
  return { written, facts: { count, sha256 }, unanswered, todo, hasMedia };
}

/** How one request is sent. The pool connects when it is. */
async function openSending(
  context: Context,
  client: Client,
  money: BatchMoney,
  { concurrency: connections = mostInFlight, files, output = 'batch' }: Options,
  hasMedia: boolean,
) {
  const { env, flags } = context;
  const { baseUrl } = client;
  const isPooled = !flags.local && !flags.dryRun;
  const pool = isPooled ? await createPoolTransport({ env, baseUrl, connections }) : undefined;
  const close = async () => pool?.close();
  const send = createSend(client, (pool ?? client).transport, (line, answer) =>
    money.costOf(line, answer),
  );
  if (!hasMedia) return { send, close };
  const { openMedia } = await import('../../batch/media.js');
  const folder = files ?? `${splitExtension(output === '-' ? 'batch' : output)[0]}-files`;
  const paying = { ...client, spending: undefined };
  return { send: await openMedia(context, paying, folder, send), close };
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

async function sumUp({ clock, flags, out }: Context, watched: Watched): Promise<void> {
  const now = standing(watched, clock.now());
  const { unknown, unsaved } = watched.progress;
  const names = unknown.map(({ id }) => id);
  if (flags.json) return out.json({ ...now, unknown_ids: names, unsaved });
  const parts = [
    `${now.done} of ${now.total} done`,
    now.failed > 0 && `${now.failed} failed`,
    now.unknown > 0 && `${now.unknown} unknown`,
    now.left > unsaved && `${now.left - unsaved} not sent`,
    unsaved > 0 && `${counted(unsaved, 'answer')} not saved`,
    now.spent_in_all_rub > 0 && spentWords(now),
    formatElapsed(clock.now() - watched.startedAtMs),
  ];
  out.note(parts.filter((part) => part !== false).join(' · '));
  if (names.length === 0) return;
  const lost = `may have been charged, without an answer: ${firstNames(names)}`;
  out.note(`${lost}; \`--unknown retry\` sends them again`);
}

function assertComplete({ failed, left, total, unknown }: ReturnType<typeof standing>): void {
  const missing = failed + unknown + left;
  if (missing === 0) return;
  let hint = unknown > 0 && left === 0 ? 'send them again with --unknown retry' : resuming;
  if (failed === missing) hint = '`svc batch report` shows why';
  const words = `${missing} of ${counted(total, 'request')} without an answer`;
  throw new Incomplete(words, { code: 'batch_incomplete', hint });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
