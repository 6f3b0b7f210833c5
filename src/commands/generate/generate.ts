import { submit } from '../../api/media/submit.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { destinationFrom } from '../../jobs/destination.js';
import { farewell } from '../../jobs/farewell.js';
import { finishJob, tellId } from '../../jobs/finish.js';
import { demandPrice } from '../../jobs/price.js';
import { closeRun } from '../../jobs/resume.js';
import { sayer } from '../../jobs/sayer.js';
import { newKey } from '../../jobs/start.js';
import { openJobs, type JobWorld } from '../../jobs/world.js';
import { openLedger } from '../../state/ledger.js';
import { draftFrom, type Draft, type GenerateInput } from './draft.js';
import type { generate } from './index.js';
import { makeJob } from './make.js';
import { knownModel } from './model.js';
import { termsOf } from './money.js';
import { orderFrom, withoutSending, type Order } from './order.js';
import { showQuote } from './quote.js';

/** Makes media: asks for the price, starts a job, waits for it and fetches its results. */
export const run: Handler<typeof generate> = async (context, input) => {
  const { options } = input;
  refuseConflicts(context, options);
  const startedAtMs = context.clock.now();
  const destination = await destinationFrom(options.output, {
    replace: options.force === true,
    out: context.out,
    ledger: openLedger(context.paths),
  });
  const draft = await draftFrom(context, input);
  if (options.quote) {
    await showQuote(context, draft, { refresh: options.refresh === true });
    return;
  }
  const world = await openJobs(context);
  const order = await orderFor(world, draft, options.refresh === true);
  if (context.flags.dryRun || context.flags.curl) await rehearse(world, order, options);
  await farewell(world, async (leave) => {
    const { maxPrice: maxPriceRub, new: isNew, quoteId } = options;
    const made = await makeJob(world, {
      order,
      key: options.idempotencyKey,
      maxPriceRub,
      quoteId,
      isNew,
      taken: destination.taken,
      onKey: leave.onKey,
    });
    leave.onJob(made.jobId);
    const job = { ...made, model: draft.model, startedAtMs };
    await demandPrice(world, job, { agreedRub: made.agreedRub, maxPriceRub });
    if (options.wait) await finishJob(world, job, { destination, open: options.open === true });
    else await tellId(world, job);
    closeRun(world, made.intent);
  });
};

async function orderFor(world: JobWorld, draft: Draft, refresh: boolean): Promise<Order> {
  const { context, client, account } = world;
  const known = await knownModel({ context, client, account, refresh }, draft.model);
  if (known.similar !== undefined) {
    sayer(context)(`no media model is called ${draft.model}; did you mean ${known.similar}?`);
  }
  return orderFrom(draft, known.capability);
}

/** Shows the request of the job; nothing is priced, uploaded or written down. */
async function rehearse(
  { client, context }: JobWorld,
  order: Order,
  { quoteId, maxPrice }: GenerateInput['options'],
): Promise<never> {
  const ready = withoutSending(order, context.flags.curl);
  const terms = termsOf(quoteId, maxPrice);
  const { headers } = order.draft;
  const shown = await submit(client, { key: newKey(), payload: ready.payload(terms), headers });
  throw shown.outcome === 'accepted' ? new Error('a dry run was sent') : shown.error;
}

function refuseConflicts({ flags, out }: Context, options: GenerateInput['options']): void {
  const conflicts: readonly (readonly [boolean, string, string])[] = [
    [options.quote === true && !options.wait, '--quote', '--no-wait'],
    [options.quote === true && options.output !== undefined, '--quote', '--output'],
    [options.quote === true && options.open === true, '--quote', '--open'],
    [options.quote === true && options.quoteId !== undefined, '--quote', '--quote-id'],
    [!options.wait && options.output !== undefined, '--no-wait', '--output'],
    [!options.wait && options.open === true, '--no-wait', '--open'],
    [options.new === true && options.idempotencyKey !== undefined, '--new', '--idempotency-key'],
    [options.output === '-' && flags.json, '-o -', '--json'],
    [options.output === '-' && options.open === true, '-o -', '--open'],
    [options.output === '-' && options.force === true, '-o -', '--force'],
  ];
  for (const [isMet, one, other] of conflicts) {
    if (!isMet) continue;
    throw new UsageError(`${one} and ${other} cannot go together`, {
      code: 'usage',
      hint: 'svc generate --help',
    });
  }
  if (options.inline && options.input.length === 0) {
    throw new UsageError('--inline needs --input', { code: 'usage', hint: 'svc generate --help' });
  }
  out.open();
}
