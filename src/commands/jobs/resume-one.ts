import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { isUnsettled } from '../../state/ledger-fold.js';
import { namedJobs } from '../../jobs/find.js';
import { tellId } from '../../jobs/finish.js';
import type { resume } from './index.js';
import { mayBeSettled, resend } from '../../jobs/settle.js';
import { openJobs } from '../../jobs/world.js';

/** Sends the request of a job that was cut off again, however old it is. */
export const run: Handler<typeof resume> = async (context, { args }) => {
  const world = await openJobs(context);
  const [job] = namedJobs(world, [args.id]);
  const { ledger } = job ?? {};
  if (!ledger || !isUnsettled(ledger)) {
    throw new UsageError(`${args.id} is not a job that was cut off`, {
      code: 'not_cut_off',
      hint: 'see what is known of it: `svc jobs list --all`',
    });
  }
  if (ledger.kind !== 'generate' || !(await mayBeSettled(ledger))) {
    const isOther = ledger.kind !== 'generate';
    throw new UsageError(
      isOther ? 'only a job of svc generate is sent again by its key' : 'another svc is sending it',
      {
        code: 'not_resumable',
        hint: isOther
          ? 'type the command again: it goes on with it'
          : 'wait for it: `svc jobs list`',
      },
    );
  }
  const { intent, model, quotedRub } = ledger;
  const { jobId, status, priceRub = quotedRub } = await resend(world, ledger);
  await tellId(world, { intent, jobId, model, status, priceRub, startedAtMs: ledger.wantedAtMs });
};
