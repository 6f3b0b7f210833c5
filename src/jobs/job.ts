/** One type for a media job, what every command about jobs works with, and the ids of a line. */
import { withOneDeadline } from '../api/client.js';
import type { JobStatus } from '../api/media/follow.js';
import type { Submitted } from '../api/media/submit.js';
import type { Context } from '../cli/context.js';
import { mostJobIdCharacters } from '../contract/media.js';
import { LocalFileError, SvcError, UsageError } from '../errors.js';
import { newOwner } from '../files/owner.js';
import { plainText } from '../lib/plain-text.js';
import { accountOf, isSameAccount, localService } from '../state/account.js';
import { type LedgerEvent, type LedgerJob, openLedger } from '../state/ledger.js';
import { baseUrlText } from '../state/rules.js';
import type { Collected } from './collect.js';

/** A media job, as far as a command knows it; newer facts win over the ledger. */
export interface Job {
  /** Its key in the ledger; undefined for a job that was made elsewhere. */
  readonly intent?: string;
  readonly jobId: string;
  readonly model?: string;
  readonly priceRub?: number;
  /** What it was to cost when it was sent. */
  readonly agreedRub?: number;
  /** A word of the service, where no whole answer about it has come. */
  readonly state?: string;
  readonly status?: JobStatus;
  /** What the ledger held when it was read. */
  readonly ledger?: LedgerJob;
  readonly files?: readonly Collected[];
  /** Why it failed, where it is one of several. */
  readonly error?: SvcError;
}

export type OwnJob = Job & { readonly intent: string };

export type JobEnv = Awaited<ReturnType<typeof openJobs>>;

/** The ledger `requests` is for what makes no media job. @throws ConfigError */
export async function openJobs(context: Context, ledgerName?: 'jobs' | 'requests') {
  const client = withOneDeadline(await context.client());
  const [profile, service] = context.flags.local
    ? ['local', localService]
    : [context.settings().profile, baseUrlText(client.baseUrl)];
  /** What an interruption is to name: a key that may have gone out, and the id (or `--all`). */
  const atWork: { key?: string; jobId?: string } = {};
  const ledger = openLedger(context.paths, ledgerName);
  const account = accountOf(profile, service, client.key ?? '');
  /** This run, for the jobs that it starts or resumes. */
  const owner = await newOwner();
  return { context, client, ledger, account, owner, atWork };
}

type WithoutTime<Event> = Event extends LedgerEvent ? Omit<Event, 'atMs'> : never;

export function append({ ledger, context }: JobEnv, event: WithoutTime<LedgerEvent>): void {
  ledger.append({ ...event, atMs: context.clock.now() });
}

/** Records what can be requested again: on a full disk, the work continues without it. */
export function note(env: JobEnv, event: WithoutTime<LedgerEvent>): void {
  try {
    append(env, event);
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    env.context.out.warn(error.message);
  }
}

export function noteAccepted(
  env: JobEnv,
  { intent, model, quotedRub: agreedRub }: Pick<LedgerJob, 'intent' | 'model' | 'quotedRub'>,
  accepted: Pick<LedgerEvent & { type: 'accepted' }, 'jobId' | 'status' | 'priceRub' | 'route'>,
): OwnJob {
  note(env, { type: 'accepted', intent, ...accepted });
  const { jobId, status: state, priceRub = agreedRub } = accepted;
  return { intent, jobId, model, state, priceRub, agreedRub };
}

export function noteFailure(
  env: JobEnv,
  intent: string,
  { outcome, error, isUnanswered = true }: Exclude<Submitted, { outcome: 'accepted' }>,
): void {
  const message = error instanceof Error ? error.message : undefined;
  const code = error instanceof SvcError ? error.code : undefined;
  if (outcome === 'uncertain') note(env, { type: 'uncertain', intent, isUnanswered, message });
  else note(env, { type: 'dropped', intent, why: outcome, code, message });
}

/** Whether a person can be asked: on a terminal, where the question is seen, without --no-input. */
export function canAsk({ flags, out, stdin }: Context): boolean {
  return stdin.isTerminal && out.isErrorTerminal && flags.input;
}

export function progressWriter({ out, flags }: Context): (words: string) => void {
  return (words) => {
    if (!flags.json) out.note(words);
  };
}

export async function startLine({ out, flags }: Context, words: () => string) {
  if (flags.json) return undefined;
  const line = await out.spinner(words());
  line.update(words);
  return line;
}

export function ownJobs({ ledger, account }: JobEnv): LedgerJob[] {
  return ledger.jobs().filter((job) => isSameAccount(job.account, account));
}

/** A job of the ledger; its key stands for an id that is not known yet. */
export function jobOf(ledger: LedgerJob): Job {
  const { intent, jobId = intent, model, priceRub } = ledger;
  return { intent, jobId, model, priceRub, ledger };
}

/** The job of an earlier run, to resume; undefined where its id is not known. */
export function acceptedJob(job: LedgerJob | undefined): OwnJob | undefined {
  if (job?.jobId === undefined) return undefined;
  const { intent, jobId, model, state, quotedRub: agreedRub, priceRub = agreedRub } = job;
  return { intent, jobId, model, state, priceRub, agreedRub };
}

/** The job of an id or a key, also one that was made elsewhere. @throws UsageError */
export function namedJob({ ledger, account }: JobEnv, id: string): Job {
  const known = ledger.jobs().filter((job) => job.jobId === id || job.intent === id);
  const own = known.find((job) => isSameAccount(job.account, account));
  if (own) return jobOf(own);
  const [foreign] = known;
  if (!foreign) {
    const [, fault] = noIds.find(([pattern]) => pattern.test(id)) ?? [];
    if (fault === undefined) return { jobId: id };
    const hint = 'see which jobs there are: `svc jobs list --all`';
    const message = fault.replace('NAME', () => JSON.stringify(plainText(id, 60)));
    throw new UsageError(message, { code: 'invalid_id', hint });
  }
  const { profile, service } = foreign.account;
  const isLocal = service === localService;
  const where = isLocal ? 'the embedded service' : plainText(service, 100);
  throw new UsageError(`${plainText(id, 100)} is a job of another account, at ${where}`, {
    code: 'other_account',
    hint: isLocal
      ? 'ask for it with --local'
      : `ask for it with the key that made it, perhaps: --profile ${plainText(profile, 64)}`,
  });
}

/** What an id can never be: it stands alone on a line, and in the path of a link. */
const noIds = [
  [/^\s*$/, 'the id of the job is empty'],
  [new RegExp(`.{${mostJobIdCharacters + 1}}`, 's'), 'NAME is too long for the id of a job'],
  [/^\.{1,2}$/, 'NAME is no id of a job'],
  [/[/\\]/, 'NAME is no id of a job: it holds a slash'],
  [
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u,
    'NAME is no id of a job: it holds a character that cannot be seen',
  ],
  [/\s/, 'NAME is no id of a job: it holds a blank'],
] as const;

/** The ids of a line, each once; undefined for --all. @throws UsageError for both, or neither. */
export function idsOrAll(
  ids: readonly string[],
  all: boolean | undefined,
  verb: string,
): string[] | undefined {
  if (ids.length > 0 && all) {
    throw new UsageError('ids and --all cannot go together', { code: 'usage' });
  }
  if (ids.length > 0 || all) return all ? undefined : [...new Set(ids)];
  const hint = `svc jobs ${verb} ID, or svc jobs ${verb} --all; \`svc jobs list\` shows the ids`;
  throw new UsageError('no job is named', { code: 'usage', hint });
}

/** The prompt of a line, piped text first; with a hint there has to be one. @throws UsageError */
export async function promptFrom(
  { stdin }: Pick<Context, 'stdin'>,
  words: readonly string[],
  { isStdinTaken = false, hint }: { isStdinTaken?: boolean; hint?: string } = {},
): Promise<string> {
  const piped = isStdinTaken || stdin.isTerminal ? '' : (await stdin.text()).trimEnd();
  const prompt = [piped, words.join(' ')].filter((text) => text.trim() !== '').join('\n\n');
  if (prompt !== '' || hint === undefined) return prompt;
  throw new UsageError('the prompt is empty', { code: 'empty_prompt', hint });
}
