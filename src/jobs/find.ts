/** Finds the jobs that a command line names. */
import { UsageError } from '../errors.js';
import { plainText } from '../lib/plain-text.js';
import { isSameAccount } from '../state/account.js';
import type { LedgerJob } from '../state/ledger-fold.js';
import { demandId } from './job-id.js';
import type { JobWorld } from './world.js';

/** A job that the service knows by an id. */
export interface NamedJob {
  readonly jobId: string;
  /** What the ledger holds of it; undefined for a job from elsewhere. */
  readonly ledger: LedgerJob | undefined;
}

/** This account's jobs, in the order in which they were wanted. */
export function ownJobs({ ledger, account }: JobWorld): LedgerJob[] {
  return ledger.jobs().filter((job) => isSameAccount(job.account, account));
}

/**
 * The jobs of these ids, each once. One that is not in the ledger may be known to the service.
 * @throws UsageError for a job of another account: asking for it with this key would find nothing;
 * for what can be no id.
 */
export function namedJobs(world: JobWorld, ids: readonly string[]): NamedJob[] {
  const all = world.ledger.jobs();
  return [...new Set(ids)].map((id) => {
    const known = all.filter((job) => job.jobId === id || job.intent === id);
    const own = known.find((job) => isSameAccount(job.account, world.account));
    if (own) return { jobId: own.jobId ?? id, ledger: own };
    const [foreign] = known;
    if (foreign) throw ofAnother(id, foreign);
    demandId(id);
    return { jobId: id, ledger: undefined };
  });
}

/** The files that results of a job were put into. */
export function copiesOf({ ledger, account }: JobWorld, { jobId, ledger: job }: NamedJob) {
  return ledger.copies({ intent: job?.intent, jobId, account });
}

function ofAnother(id: string, { account }: LedgerJob): UsageError {
  const { profile, service } = account;
  const where = service === 'local:' ? 'the embedded service' : plainText(service, 100);
  return new UsageError(`${plainText(id, 100)} is a job of another account, at ${where}`, {
    code: 'other_account',
    hint:
      service === 'local:'
        ? 'ask for it with --local'
        : `ask for it with the key that made it, perhaps: --profile ${plainText(profile, 64)}`,
  });
}

/** What --all and ids say together. @throws UsageError when it is both or neither. */
export function refuseBoth(ids: readonly string[], all: boolean, verb: string): void {
  if (ids.length > 0 && all) {
    throw new UsageError('ids and --all cannot go together', { code: 'usage' });
  }
  if (ids.length === 0 && !all) {
    throw new UsageError('no job is named', {
      code: 'usage',
      hint: `svc jobs ${verb} ID, or svc jobs ${verb} --all; \`svc jobs list\` shows the ids`,
    });
  }
}
