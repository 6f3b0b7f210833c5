import { costOf } from '../../api/cost.js';
import type { ImageBody } from '../../api/images.js';
import { askJob, type JobStatus } from '../../api/media/follow.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { ImageRequest } from '../../contract/images.js';
import { explain } from '../../contract/explain.js';
import { UsageError } from '../../errors.js';
import { formatElapsed } from '../../lib/duration.js';
import { collect } from '../jobs/collect.js';
import { destinationFrom } from '../jobs/destination.js';
import { farewell } from '../jobs/farewell.js';
import { closeRun, requestHash, resumable } from '../jobs/resume.js';
import { showCollected } from '../jobs/show-result.js';
import { newOnceKey } from '../../api/idempotency.js';
import { tell } from '../jobs/watch.js';
import { paidFor } from '../jobs/whereabouts.js';
import { openJobs, type JobWorld } from '../jobs/world.js';
import { openLedger } from '../../state/ledger.js';
import type { create } from './index.js';
import { makeImage, type Image } from './make.js';

type Options = InputOf<typeof create>['options'];

/** Makes an image and writes it to a file. */
export const run: Handler<typeof create> = async (context, { args, options }) => {
  const startedAtMs = context.clock.now();
  refuseConflicts(context, options);
  const destination = await destinationFrom(options.output, {
    replace: options.force === true,
    out: context.out,
    ledger: openLedger(context.paths),
  });
  const body = await bodyFrom(context, args.prompt, options);
  const world = await openJobs(context);
  if (context.flags.dryRun || context.flags.curl) await rehearse(world, body);
  const wish = requestHash({ image: body });
  const { taken } = destination;
  const earlier = await resumable(world, { wish, isNew: options.new, taken });
  await farewell(world, async (leave) => {
    const making = { body, wish, earlier, leave };
    const made = await withSpinner(context, () => makeImage(world, making));
    leave.onJob(made.jobId);
    const job = { ...made, model: body.model };
    const files = await collect(world, job, made.results, destination).catch((error: unknown) => {
      const named = made.jobId === made.intent ? undefined : made.jobId;
      throw paidFor(world, named, { error, hasResults: true });
    });
    const [cost, status] = await Promise.all([
      costOf(world.client, made.generationId),
      lookedUp(world, made),
    ]);
    const { jobId, priceRub = cost.priceRub ?? status?.priceRub } = made;
    tell(world, made.intent, { ...status, state: 'success', priceRub }, false);
    await showCollected(
      world,
      {
        jobId,
        model: body.model,
        state: 'success',
        status,
        files,
        cost: { priceRub, balanceRub: cost.balanceRub },
        tookMs: context.clock.now() - startedAtMs,
      },
      { open: options.open === true, toStdout: destination.kind === 'stdout' },
    );
    closeRun(world, made.intent);
  });
};

/** As with the cost, it is left out when it cannot be told soon. */
const patienceMs = 3000;

/** What the service tells of the image's job: how long its file is kept, its size. */
async function lookedUp(
  { client }: JobWorld,
  { intent, jobId }: Image,
): Promise<JobStatus | undefined> {
  if (jobId === intent) return undefined;
  const status = await askJob({ ...client, deadlineMs: patienceMs }, jobId).catch(() => undefined);
  return status?.state === 'success' ? status : undefined;
}

function refuseConflicts({ flags, out }: Context, options: Options): void {
  const conflicts: readonly (readonly [boolean, string])[] = [
    [flags.json, '--json'],
    [options.open === true, '--open'],
    [options.force === true, '--force'],
  ];
  for (const [isGiven, flag] of conflicts) {
    if (!isGiven || options.output !== '-') continue;
    throw new UsageError(`-o - and ${flag} cannot go together`, { code: 'usage' });
  }
  out.open();
}

/** @throws UsageError before anything is sent. */
async function bodyFrom(
  { flags, stdin }: Context,
  words: readonly string[],
  options: Options,
): Promise<ImageBody> {
  const piped = stdin.isTerminal ? '' : (await stdin.text()).trimEnd();
  const prompt = [piped, words.join(' ')].filter((text) => text.trim() !== '').join('\n\n');
  if (prompt === '') {
    throw new UsageError('the prompt is empty', {
      code: 'empty_prompt',
      hint: 'svc image create -m MODEL "a lighthouse"',
    });
  }
  const model = options.model ?? (flags.local ? 'local/canvas' : '');
  if (model === '') {
    throw new UsageError('no model is named', {
      code: 'no_model',
      hint: 'give -m MODEL: `svc models list --type image` shows them',
    });
  }
  const { count, size, quality, responseFormat, user } = options;
  const body = {
    model,
    prompt,
    ...(count === undefined ? {} : { n: count }),
    ...(size === undefined ? {} : { size }),
    ...(quality === undefined ? {} : { quality }),
    ...(responseFormat === undefined ? {} : { response_format: responseFormat }),
    ...(user === undefined ? {} : { user }),
  };
  const checked = ImageRequest.safeParse(body);
  if (checked.success) return checked.data;
  throw new UsageError(explain(checked.error, body), { code: 'invalid_input' });
}

/** Shows the request; nothing is written down for it. */
async function rehearse({ client }: JobWorld, body: ImageBody): Promise<void> {
  const { makeImages } = await import('../../api/images.js');
  await makeImages(client, body, newOnceKey());
}

async function withSpinner<Result>(
  { out, clock, flags }: Context,
  work: () => Promise<Result>,
): Promise<Result> {
  if (flags.json) return work();
  const startedAtMs = clock.now();
  const words = () => `making the image · ${formatElapsed(clock.now() - startedAtMs)}`;
  const spinner = await out.spinner(words());
  spinner.update(words);
  try {
    return await work();
  } finally {
    spinner.stop();
  }
}
