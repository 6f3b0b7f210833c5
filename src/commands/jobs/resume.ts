import type { Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { writeId } from '../../jobs/finish.js';
import { listHint, namedJob, openJobs } from '../../jobs/job.js';
import { mayBeReconciled, resubmit } from '../../jobs/submit.js';
import { isUnfinished } from '../../state/ledger-job.js';
import type { resume } from './index.js';

export const run: Handler<typeof resume> = async (context, { args }) => {
  const env = await openJobs(context);
  const { ledger } = namedJob(env, args.id);
  if (!ledger || !isUnfinished(ledger)) {
    throw new UsageError(`${args.id} is not an interrupted request`, {
      code: 'not_cut_off',
      hint: listHint,
    });
  }
  if (ledger.kind !== 'generate') {
    throw new UsageError('only a request of svc generate can be sent again with its key', {
      code: 'not_resumable',
      hint: 'repeat the original command, which resumes it',
    });
  }
  if (!(await mayBeReconciled(ledger))) {
    const hint = 'wait for it: `svc jobs list`';
    throw new UsageError('another svc process is sending it', { code: 'not_resumable', hint });
  }
  await writeId(env, await resubmit(env, ledger));
};
