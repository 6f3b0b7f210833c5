/**
 * Goes on with an earlier run of the same request that was killed, interrupted or not fetched: the
 * same command typed again is not paid for again.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LocalFileError } from '../../errors.js';
import { isGone } from '../../files/owner.js';
import { canonicalJson } from '../../lib/json.js';
import { formatAge } from '../../lib/duration.js';
import { isSameAccount } from '../../state/account.js';
import { isOpen, type LedgerJob } from '../../state/ledger-fold.js';
import { withLock } from '../../state/lock.js';
import { canAsk } from '../can-ask.js';
import type { Taken } from './destination.js';
import { sayer } from './sayer.js';
import { now, type JobWorld } from './world.js';

/** What tells a request from every other: the same command gives the same hash in every run. */
export function requestHash(request: object): string {
  return createHash('sha256').update(canonicalJson(request)).digest('hex').slice(0, 32);
}

export interface Resuming {
  /** The `requestHash` of what is asked for. */
  readonly wish: string;
  /** `--new`: earlier runs are left alone, by this run and by later ones. */
  readonly isNew: boolean | undefined;
  readonly taken?: Taken;
}

/**
 * The earlier run of this request to go on with, claimed for this process; undefined when there is
 * none. On a terminal a person is asked first when it is of another day.
 * @throws the refusal of `taken` when the file there is not the result of that run.
 */
export async function resumable(
  world: JobWorld,
  { wish, isNew = false, taken }: Resuming,
): Promise<LedgerJob | undefined> {
  if (isNew) for (const { intent } of openRuns(world, wish)) closeRun(world, intent);
  const job = isNew ? undefined : await claimedRun(world, wish);
  if (taken && !job?.saved.some(({ path }) => path === taken.path)) throw taken.refusal;
  return job;
}

/** Says that an earlier run is gone on with. */
export function tellResuming({ context }: JobWorld, { jobId, wantedAtMs }: LedgerJob): void {
  const age = formatAge(context.clock.now() - wantedAtMs);
  const what = jobId ?? 'a request without an answer';
  sayer(context)(`resuming ${what} (started ${age} ago); use --new to start another`);
}

/** Its run ended well: the same command makes another from now on. */
export function closeRun(world: JobWorld, intent: string): void {
  try {
    world.ledger.append(now(world, { type: 'closed', intent }));
  } catch (error) {
    // The same command would find its result once more: nothing is lost.
    if (!(error instanceof LocalFileError)) throw error;
  }
}

/** Newest first: its results are kept the longest. */
function openRuns({ ledger, account }: JobWorld, wish: string): LedgerJob[] {
  return ledger
    .jobs()
    .filter((job) => job.wish === wish && isOpen(job) && isSameAccount(job.account, account))
    .reverse();
}

async function claimedRun(world: JobWorld, wish: string): Promise<LedgerJob | undefined> {
  const found = await abandonedRun(world, wish);
  if (!found || !(await wantsToGoOn(world, found))) return undefined;
  const { clock, paths, signal } = world.context;
  // Of several reruns at once, one goes on with it.
  return withLock(join(paths.data, 'resume.lock'), { clock, signal }, async () => {
    const job = await abandonedRun(world, wish);
    if (job)
      world.ledger.append(now(world, { type: 'resumed', intent: job.intent, owner: world.owner }));
    return job;
  });
}

/** What a process is still at is not gone on with: the same command may run twice on purpose. */
async function abandonedRun(world: JobWorld, wish: string): Promise<LedgerJob | undefined> {
  for (const job of openRuns(world, wish)) {
    if (job.state === 'uncertain' || (await isGone(job.owner))) return job;
  }
  return undefined;
}

async function wantsToGoOn({ context }: JobWorld, job: LedgerJob): Promise<boolean> {
  const started = new Date(job.wantedAtMs);
  const isOfToday = started.toDateString() === new Date(context.clock.now()).toDateString();
  if (isOfToday || !canAsk(context)) return true;
  const what = job.jobId ?? 'a request without an answer';
  const message = `Go on with ${what} of ${started.toLocaleString()}, which is not fetched yet?`;
  return context.prompts.confirm({ message, default: true });
}
