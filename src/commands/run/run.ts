/** `svc run`: a program whose requests all go through the proxy of this run. */
import { basename } from 'node:path';
import type { InputOf } from '../../command.js';
import type { Context, Handler } from '../../context.js';
import {
  ApiError,
  BalanceTooLow,
  exitCodeOf,
  Incomplete,
  NegativeResult,
  PriceTooHigh,
  SvcError,
  UsageError,
} from '../../errors.js';
import { holdName, PartFile } from '../../files/part-file.js';
import type { Place } from '../../files/target.js';
import { formatRub, grouped } from '../../lib/amounts.js';
import { durationWords } from '../../lib/duration.js';
import { toJson } from '../../lib/json.js';
import { shellWord } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import type { ProxiedRequest } from '../../proxy/proxied.js';
import { notOnTape } from '../../proxy/refusal.js';
import type { Totals } from '../../proxy/totals.js';
import { shorterAnswer } from '../../spending/price-limit.js';
import { runForeground } from '../../tools/foreground.js';
import { modelRules, openGateway, type Gateway } from './gateway.js';
import type { run as declaration } from './index.js';
import { placeholders, print, startOf, withFolder, writeFiles, type Start } from './start.js';
import { showTotals, summary, totalsJson } from './totals.js';

type Asked = InputOf<typeof declaration>;

/** Exit codes above it are of programs that a signal has ended. */
const signalCode = 128;

export const run: Handler<typeof declaration> = async (context, asked) => {
  const { flags } = context;
  const { model, modelMap, print: isPrinted, report } = asked.options;
  const rules = modelRules(modelMap);
  const destination = reportPlace(report);
  // What is wrong with the words is found before anything is opened.
  const shown = startOf(context, asked, placeholders(model));
  if (isPrinted || flags.dryRun) return print(context, shown);
  if (flags.json) {
    const hint =
      'write what it has cost to a file: --report FILE; --print --json shows what is run';
    throw new UsageError('stdout belongs to the program: --json needs --print', { hint });
  }
  await holdName(destination, async (held) => {
    const program = new ProgramRun(context, asked);
    const gateway = await openGateway(context, {
      ...{ command: 'svc run', port: 0, model, rules, watcher: program, tape: asked.options },
      program: asked.options.log ? program.name : undefined,
    });
    const { address, secret } = gateway;
    const exitCode = await withFolder(async (own) => {
      const start = startOf(context, asked, { address, folder: own, secret });
      await writeFiles(start);
      return program.run(start);
    }).finally(gateway.close);
    await program.end(exitCode, gateway, held);
  });
};

/** Where --report writes. @throws UsageError for stdout, which is the program's */
function reportPlace(path: string | undefined): ReportPlace {
  if (path === undefined) return { kind: 'stream' };
  if (path !== '-') return { kind: 'file', path, replace: true };
  const hint = 'write it to a file: --report FILE';
  throw new UsageError('--report -: stdout belongs to the program', { hint });
}

/** A file, or nowhere. */
type ReportPlace = ReportFile | { readonly kind: 'stream' };
type ReportFile = Extract<Place, { kind: 'file' }>;

/** One run of a program: what it has cost, and why it is ended. */
class ProgramRun {
  /** Of the program, without its folder. */
  readonly name: string;
  /** Ends the program; its reason is why. */
  readonly #stop = new AbortController();
  readonly #startMs: number;
  /** Why the last request was not sent. */
  #refusal: string | undefined;
  /** Requests that --replay or SVC_TAPE has not found, and how the last of them differs. */
  readonly #missed = { count: 0, last: '' };

  constructor(
    private readonly context: Context,
    private readonly asked: Asked,
  ) {
    this.name = plainText(basename(asked.args.program[0] ?? ''), 60);
    this.#startMs = context.clock.now();
  }

  readonly onEnd = (request: ProxiedRequest): void => {
    const { refusal, status } = request;
    // A program that had hung up was not told.
    if (refusal?.code === notOnTape) {
      this.#missed.count += 1;
      this.#missed.last = refusal.message;
    } else if (refusal && status !== 0) this.#refusal = refusal.message;
    if (!this.asked.options.stop) return;
    if (refusal?.exit === 'money') this.#stop.abort(refusal);
    else if (!refusal && status === 402) {
      this.#stop.abort(
        new BalanceTooLow('the service has refused a request: 402', { hint: 'svc balance' }),
      );
    }
  };

  /** @returns its exit code. @throws LocalFileError where it cannot be run */
  async run({ env, leftOut, words }: Start): Promise<number> {
    const { clock, out, signal, signals, timeLimit } = this.context;
    if (leftOut.length > 0) {
      const names = leftOut.map((name) => plainText(name, 60)).join(', ');
      out.note(`${this.name} does not get ${names}: the key of the account is in it`);
    }
    await out.flush();
    signal.throwIfAborted();
    const ended = new AbortController();
    if (timeLimit) this.#stopAfter(timeLimit.leftMs(), ended.signal);
    const [command, ...args] = words;
    const hint = command.includes('/')
      ? `see whether it is a program: ls -ld ${shellWord(command)}`
      : `see whether it is installed: command -v ${shellWord(command)}`;
    const stop = this.#stop.signal;
    const release = out.hold();
    let code = 0;
    try {
      code = await runForeground({ command, args, env, hint }, { signals, clock, stop });
      return code;
    } finally {
      release(stop.aborted || code > signalCode);
      ended.abort();
    }
  }

  #stopAfter(ms: number, end: AbortSignal): void {
    const stop = () =>
      this.#stop.abort(
        new Incomplete(`it has run for ${durationWords(ms)}`, {
          code: 'deadline',
          hint: 'use a longer --timeout',
        }),
      );
    this.context.clock.sleep(ms, end).then(stop, () => undefined);
  }

  /** Says what it has cost. @throws what ends svc with its exit code, or why it was stopped */
  async end(exitCode: number, { totals }: Gateway, to: ReportPlace): Promise<void> {
    const failure = this.#failure(exitCode);
    await this.#show(totals);
    if (to.kind === 'file')
      await this.#report(failure === undefined ? 0 : exitCodeOf(failure), totals, to);
    if (failure) throw failure;
  }

  #failure(exitCode: number): Error | undefined {
    const cause: unknown = this.#stop.signal.reason;
    if (cause instanceof SvcError) {
      const Kind = cause instanceof Incomplete ? Incomplete : PriceTooHigh;
      const hint = cause.hint?.replace(shorterAnswer, '');
      return new Kind(`${this.name} was stopped: ${cause.message}`, { hint, cause });
    }
    const { count, last } = this.#missed;
    if (count > 0) {
      const words = `${grouped(count)} requests were not on the tape; the last: ${last}`;
      const hint =
        '--on-miss record adds what is missing; name what varies by itself under "ignore" in the first line of the tape';
      return new ApiError(count === 1 ? last : words, { status: 404, code: notOnTape, hint });
    }
    return exitCode === 0 ? undefined : Object.assign(new NegativeResult(), { exitCode });
  }

  async #show(totals: Totals): Promise<void> {
    const { commandHint, out } = this.context;
    if (this.#refusal !== undefined && !this.#stop.signal.aborted)
      out.note(`svc run: the last error: ${this.#refusal}`);
    if (totals.all.requests > 0) {
      out.note(`svc run: ${this.name} made ${summary(totals, out.language)}${this.#left(totals)}`);
      return showTotals(out, totals);
    }
    const how = commandHint(`svc run --print -- ${shellWord(this.name)}`);
    const reason = 'its own settings may override the variables that svc sets';
    out.note(`svc run: ${this.name} made no request through svc; ${reason}: ${how}`);
  }

  #left({ all: { open, priceRub } }: Totals): string {
    const { maxCostRub } = this.context.flags;
    const rub = (amountRub: number) => formatRub(amountRub, this.context.out.language);
    const budgetRub = this.context.spending.ofRun?.leftRub() ?? Infinity;
    if (maxCostRub === undefined && budgetRub !== Infinity)
      return `; budget ${rub(Math.max(0, budgetRub))} left`;
    if (maxCostRub === undefined || open > 0) return '';
    const leftRub = Math.max(0, maxCostRub - priceRub);
    return `; ${rub(leftRub)} left of --max-cost ${rub(maxCostRub)}`;
  }

  async #report(exitCode: number, totals: Totals, to: ReportFile): Promise<void> {
    const { clock, flags } = this.context;
    const { maxCostRub } = flags;
    const about = { program: this.name, exitCode, ms: clock.now() - this.#startMs, maxCostRub };
    const json = Buffer.from(`${toJson({ ...about, ...totalsJson(totals) }, 2)}\n`);
    await (await PartFile.open(to)).fill({}, (take) => take(json));
  }
}
