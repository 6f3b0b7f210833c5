/** What was paid for, or may have been, and is not finished. Loaded late, because of SQLite. */
import type { Context } from '../../context.js';
import { abandoned } from '../../files/owner.js';
import { resultMaxAgeMs } from '../../jobs/job.js';
import { Budget } from '../../spending/budget.js';
import { accountFor, accountOfSettings, isSameAccount } from '../../state/account.js';
import { withoutWriting } from '../../state/database.js';
import { Ledger } from '../../state/ledger.js';
import { isUnderWay, isUnfinished, isUnsaved, type LedgerJob } from '../../state/ledger-job.js';
import type { Finding } from './visit.js';

export async function unfinishedWork(context: Context): Promise<Finding> {
  const { clock, flags, keyed, paths, settings } = context;
  // Trouble with the key has its own row.
  const account = flags.local
    ? accountFor(context, await context.client())
    : accountOfSettings(await keyed().catch(settings));
  if (!account) return { skipped: 'it needs key' };
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
    [await abandoned(jobs.filter(isUnfinished)), 'job', 'without an answer', 'svc jobs list'],
    [await abandoned(lost), 'request', 'without an answer', 'svc usage list'],
    [await abandoned(reserved), 'request', 'without a price', 'svc budget'],
    [jobs.filter(isUnderWay), 'job', 'in progress', 'svc jobs wait --all'],
    [unsaved, 'job', 'to download', 'svc jobs download --all'],
  ] as const;
  const open = all.filter(([{ length }]) => length > 0);
  if (open.length === 0) return 'none';
  const words = open.map(([{ length }, noun, how]) => {
    return `${String(length)} ${noun}${length === 1 ? '' : 's'} ${how}`;
  });
  return { warning: words.join(', '), hint: open.map(([, , , line]) => line).join('; ') };
}
