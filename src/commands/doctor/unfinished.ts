/** Loaded late, because of SQLite. */
import { abandoned } from '../../files/owner.js';
import { resultMaxAgeMs } from '../../jobs/job.js';
import { Budget } from '../../spending/budget.js';
import { accountFor, accountOfSettings, isSameAccount } from '../../state/account.js';
import { withoutWriting } from '../../state/database.js';
import { Ledger } from '../../state/ledger.js';
import { isUnderWay, isUnfinished, isUnsaved, type LedgerJob } from '../../state/ledger-job.js';
import type { Finding, Visit } from './visit.js';

/** Counts what was paid for, or may have been, and is not finished. */
export async function unfinishedWork({ context, texts }: Visit): Promise<Finding> {
  const { findings, needs } = texts.doctor;
  const { clock, flags, keyed, paths, settings } = context;
  // Trouble with the key has its own row.
  const account = flags.local
    ? accountFor(context, await context.client())
    : accountOfSettings(await keyed().catch(settings));
  if (!account) return { skipped: needs('key') };
  const nowMs = clock.now();
  const isOwn = (job: LedgerJob) =>
    isSameAccount(job.account, account) && nowMs - job.changedAtMs < resultMaxAgeMs;
  const { jobs, results, requests, reserved } = withoutWriting(paths, () => {
    const ledger = new Ledger(paths);
    return {
      jobs: ledger.jobsInProgress(account).filter(isOwn),
      results: ledger.unsavedJobs(account).filter(isOwn),
      requests: new Ledger(paths, 'requests').openJobs().filter(isOwn),
      reserved: new Budget(paths, account, settings()).unsettled(),
    };
  });
  const lost = requests.filter(isUnfinished);
  const unsaved = results.filter((job) => isUnsaved(job) && (job.expiresAtMs ?? Infinity) > nowMs);
  const all = [
    [await abandoned(jobs.filter(isUnfinished)), 'unansweredJobs', 'svc jobs list'],
    [await abandoned(lost), 'unansweredRequests', 'svc usage list'],
    [await abandoned(reserved), 'unpricedRequests', 'svc budget'],
    [jobs.filter(isUnderWay), 'runningJobs', 'svc jobs wait --all'],
    [unsaved, 'unsavedJobs', 'svc jobs download --all'],
  ] as const;
  const open = all.filter(([{ length }]) => length > 0);
  if (open.length === 0) return findings.nothingUnfinished;
  const words = open.map(([{ length }, kind]) => findings.unfinished(kind, length));
  return { warning: words.join(', '), hint: open.map(([, , line]) => line).join('; ') };
}
