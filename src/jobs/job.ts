/** One type for a media job, what every command about jobs uses, and the ids of a command line. */
import type { Client } from '../api/client.js';
import type { JobStatus } from '../api/media/follow.js';
import type { SubmitOutcome } from '../api/media/submit.js';
import type { Context, PromptUse } from '../context.js';
import { media } from '../contract/limits.js';
import { maxJobIdCharacters } from '../contract/media.js';
import { LocalFileError, SvcError, UsageError, type RequestIds } from '../errors.js';
import type { JsonRecord } from '../lib/json.js';
import { dayMs } from '../lib/moment.js';
import { newOwner, type Owner } from '../files/owner.js';
import { meantBy } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { accountFor, isSameAccount, localService, type Account } from '../state/account.js';
import { Ledger, type Book } from '../state/ledger.js';
import type { LedgerEvent, LedgerJob } from '../state/ledger-job.js';

/** A media job, as far as a command knows it; newer facts win over the ledger. */
export interface Job {
  /** Its key in the ledger; undefined for a job that was made elsewhere. */
  readonly intent?: string;
  readonly jobId: string;
  readonly model?: string;
  readonly priceRub?: number;
  /** The price agreed when it was sent. */
  readonly agreedRub?: number;
  /** The service's word, where no complete answer about the job has arrived. */
  readonly state?: string;
  readonly status?: JobStatus;
  /** What the ledger contained when it was read. */
  readonly ledger?: LedgerJob;
  readonly files?: readonly Collected[];
  /** The answer that accepted or made it, with fields that svc does not know. */
  readonly reply?: JsonRecord;
  /** Of that answer. */
  readonly ids?: RequestIds;
  /** Why it failed, if it is one of several. */
  readonly error?: SvcError;
}

/** A result where it was put. */
export interface Collected {
  readonly index: number;
  /** Absolute; undefined when it went to stdout. */
  readonly path: string | undefined;
  readonly bytes: number;
  readonly mediaType: string | undefined;
  readonly wasThere: boolean;
}

export type OwnJob = Job & { readonly intent: string };

/** What works on jobs needs; of one account, in one run. */
export interface JobEnv {
  readonly context: Context;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly account: Account;
  /** This run, for the jobs that it starts or resumes. */
  readonly owner: Owner;
  /** Where the results of a new run go. */
  readonly output: string | undefined;
  /** What an interruption names: a key that may have been sent, and the id (or `--all`). */
  readonly atWork: { key?: string; jobId?: string; isResumed?: true };
}

export async function openJobs(context: Context, book?: Book, output?: string): Promise<JobEnv> {
  const client = await context.client();
  const ledger = new Ledger(context.paths, book);
  const account = accountFor(context, client);
  return { context, client, ledger, account, owner: await newOwner(), output, atWork: {} };
}

type WithoutTime<Event> = Event extends LedgerEvent ? Omit<Event, 'atMs'> : never;

export function append({ ledger, context }: JobEnv, event: WithoutTime<LedgerEvent>): void {
  ledger.append({ ...event, atMs: context.clock.now() });
}

/** Records what can be requested again; on a full disk, the work continues without it. */
export function note(env: JobEnv, event: WithoutTime<LedgerEvent>): void {
  try {
    append(env, event);
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    env.context.out.warn(error.message);
  }
}

type Accepted = Pick<Job, 'reply' | 'ids'> &
  Pick<LedgerEvent & { type: 'accepted' }, 'jobId' | 'status' | 'priceRub' | 'route'>;

export function noteAccepted(
  env: JobEnv,
  { intent, model, quotedRub: agreedRub }: Pick<LedgerJob, 'intent' | 'model' | 'quotedRub'>,
  { reply, ids, ...accepted }: Accepted,
): OwnJob {
  note(env, { type: 'accepted', intent, ...accepted });
  const { jobId, status: state, priceRub = agreedRub } = accepted;
  return { intent, jobId, model, state, priceRub, agreedRub, reply, ids };
}

export function noteFailure(
  env: JobEnv,
  intent: string,
  { outcome, error, isUnanswered = true }: Exclude<SubmitOutcome, { outcome: 'accepted' }>,
): void {
  const message = error instanceof Error ? error.message : undefined;
  const code = error instanceof SvcError ? error.code : undefined;
  if (outcome === 'uncertain') note(env, { type: 'uncertain', intent, isUnanswered, message });
  else note(env, { type: 'dropped', intent, why: outcome, code, message });
}

export function progressWriter({ out, flags }: Context): (words: string) => void {
  return (words) => {
    if (!flags.json) out.note(words);
  };
}

export async function startLine({ out, flags }: Context, words: () => string) {
  if (flags.json && !out.reportsProgress) return undefined;
  const line = await out.spinner(words());
  line.update(words);
  return line;
}

/** The service keeps results for so long. */
export const resultMaxAgeMs = media.resultRetentionDays * dayMs;

/** A job of the ledger; its key stands for an unknown id. */
export function jobOf(ledger: LedgerJob): Job {
  const { intent, jobId = intent, model, priceRub } = ledger;
  return { intent, jobId, model, priceRub, ledger };
}

/** The job of an earlier run, to resume; undefined if its id is unknown. */
export function acceptedJob(job: LedgerJob | undefined): OwnJob | undefined {
  if (job?.jobId === undefined) return undefined;
  const { intent, jobId, model, state, quotedRub: agreedRub, priceRub = agreedRub } = job;
  return { intent, jobId, model, state, priceRub, agreedRub };
}

export const listHint = 'list the jobs: `svc jobs list --all`';

/** The job of an id or a key, also one that was created elsewhere. @throws UsageError */
export function namedJob(env: JobEnv, id: string): Job {
  const { ledger } = env;
  const known = [...ledger.jobsOfId(id), ledger.job(id)].filter((job) => job !== undefined);
  const own = known.find((job) => isSameAccount(job.account, env.account)) ?? abbreviated(env, id);
  if (own) return jobOf(own);
  const [foreign] = known;
  if (!foreign) {
    if (id.length <= maxJobIdCharacters && !noId.test(id)) return { jobId: id };
    const message = `${JSON.stringify(plainText(id, 60))} is not a job id`;
    throw new UsageError(message, { code: 'invalid_id', hint: listHint });
  }
  const { profile, service } = foreign.account;
  const isLocal = service === localService;
  const where = isLocal ? 'the embedded service' : plainText(service, 100);
  throw new UsageError(`${plainText(id, 100)} is a job of another account, at ${where}`, {
    code: 'other_account',
    hint: isLocal
      ? 'add --local'
      : `use the key that created it, perhaps --profile ${plainText(profile, 64)}`,
  });
}

/** The jobs of these ids, each once. @throws UsageError */
export function namedJobs(env: JobEnv, ids: readonly string[]): Job[] {
  const jobs = ids.map((id) => namedJob(env, id));
  return [...new Map(jobs.map((job) => [job.jobId, job])).values()];
}

/** The newest job for `@last`; else the job whose id starts so, as `svc jobs list` may show it. */
function abbreviated(env: JobEnv, id: string): LedgerJob | undefined {
  const { ledger, account } = env;
  const matches = meantBy(id, {
    newest: () => ledger.newestJobs(account, 1),
    startingWith: (start) => ledger.jobsStartingWith(start, account),
  });
  if (id === '@last' && matches.length === 0) {
    throw new UsageError('there is no job yet', { code: 'no_job', hint: listHint });
  }
  if (matches.length < 2) return matches[0];
  const names = matches.map((job) => job.jobId ?? job.intent);
  throw ambiguousId(id, names, listHint);
}

export function ambiguousId(id: string, all: readonly string[], hint: string): UsageError {
  const message = `${plainText(id, 60)} is ambiguous: ${plainText(all.join(', '), 300)}`;
  return new UsageError(message, { code: 'ambiguous_id', hint });
}

/** What an id can never be: it is printed alone on a line, and is part of a URL's path. */
const noId = /^\.{0,2}$|[/\\\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u;

/** The ids of a command line; undefined for --all. @throws UsageError for both, or neither. */
export function idsOrAll(
  ids: readonly string[],
  all: boolean | undefined,
  verb: string,
): readonly string[] | undefined {
  if (ids.length > 0 && all) {
    throw new UsageError('ids and --all cannot be combined');
  }
  if (ids.length > 0 || all) return all ? undefined : ids;
  const hint = `svc jobs ${verb} ID, or svc jobs ${verb} --all; \`svc jobs list\` lists the ids`;
  throw new UsageError('no job is given', { hint });
}

/** The prompt of a command line, piped text first; with a hint it is required. @throws UsageError */
export async function promptFrom(
  { stdin }: Pick<Context, 'stdin'>,
  words: readonly string[],
  { hint, ...use }: PromptUse & { hint?: string },
): Promise<string> {
  const { piped, prompt: own } = await stdin.forPrompt(words, use);
  const prompt = [piped.trimEnd(), own].filter((text) => text.trim() !== '').join('\n\n');
  if (prompt !== '' || hint === undefined) return prompt;
  throw new UsageError('the prompt is empty', { code: 'empty_prompt', hint });
}
