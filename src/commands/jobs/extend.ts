import { randomUUID } from 'node:crypto';
import { askExtendPrice, extend as sendExtension, type Extension } from '../../api/media/extend.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { ApiError, OutcomeUnknown, PriceTooHigh, SvcError, UsageError } from '../../errors.js';
import { newOwner } from '../../files/owner.js';
import { formatRub } from '../../lib/money.js';
import { destinationFrom } from './destination.js';
import { farewell } from './farewell.js';
import { namedJobs } from './find.js';
import { finishJob, tellId } from './finish.js';
import type { extend } from './index.js';
import { sayer } from './sayer.js';
import { note, now, openJobs, type JobWorld } from './world.js';

type Options = InputOf<typeof extend>['options'];

/** Extends a video: asks for the price, sends it once, waits and fetches the result. */
export const run: Handler<typeof extend> = async (context, { args, options }) => {
  const startedAtMs = context.clock.now();
  const { tier } = options;
  if (!tier) throw new UsageError('--tier is missing: lite, fast or quality', { code: 'usage' });
  refuseConflicts(context, options);
  const destination = await destinationFrom(options.output, {
    replace: options.force === true,
    out: context.out,
  });
  const world = await openJobs(context);
  const [video] = namedJobs(world, [args.id]);
  if (!video) return;
  const prompt = options.quote ? '' : await promptFrom(context, args.prompt);
  const price = await askExtendPrice(world.client, tier);
  if (options.quote) {
    if (context.flags.json || price.priceRub === undefined) await context.out.json(price.reply);
    else await context.out.line(formatRub(price.priceRub));
    return;
  }
  await agree(context, price.priceRub, options.maxPrice);
  const body = {
    taskId: video.jobId,
    prompt,
    tier,
    ...(options.seeds === undefined ? {} : { seeds: options.seeds }),
    ...(options.watermark === undefined ? {} : { watermark: options.watermark }),
  };
  const model = video.ledger?.model ?? 'extend';
  await farewell(world, async (leave) => {
    const intent = `extend-${randomUUID()}`;
    leave.onKey(intent);
    const made = await once(world, { intent, model, body, quotedRub: price.priceRub });
    leave.onJob(made.jobId);
    const { jobId, status, priceRub = price.priceRub } = made;
    const job = { intent, jobId, model, status, priceRub, startedAtMs };
    if (options.wait) await finishJob(world, job, { destination, open: options.open === true });
    else await tellId(context, job);
  });
};

function refuseConflicts({ flags }: Context, options: Options): void {
  const needsResult = options.output !== undefined || options.open === true;
  const flag = options.quote ? '--quote' : '--no-wait';
  if (needsResult && (options.quote || !options.wait)) {
    throw new UsageError(`${flag} has no result to write or show`, { code: 'usage' });
  }
  if (options.output === '-' && flags.json) {
    throw new UsageError('-o - and --json cannot go together', { code: 'usage' });
  }
}

async function promptFrom({ stdin }: Context, words: readonly string[]): Promise<string> {
  const piped = stdin.isTerminal ? '' : (await stdin.text()).trimEnd();
  const prompt = [piped, words.join(' ')].filter((text) => text.trim() !== '').join('\n\n');
  if (prompt !== '') return prompt;
  throw new UsageError('the prompt is empty', {
    code: 'empty_prompt',
    hint: 'say how the video goes on: svc jobs extend ID "…" --tier fast',
  });
}

/** No ceiling can be sent along: the price that was just told is held against it here. */
async function agree(
  context: Context,
  priceRub: number | undefined,
  maxPriceRub: number | undefined,
): Promise<void> {
  if (priceRub === undefined && maxPriceRub !== undefined) {
    throw new PriceTooHigh(
      'the service names no price to hold --max-price against; nothing was submitted',
      {
        code: 'no_price',
        hint: 'leave out --max-price, to be asked whether to extend it all the same',
      },
    );
  }
  if (priceRub === undefined) {
    const isSure = await context.prompts.confirm({
      message: 'the service names no price; extend the video all the same?',
      default: false,
    });
    if (!isSure) throw new UsageError('nothing was submitted', { code: 'not_confirmed' });
    return;
  }
  if (maxPriceRub !== undefined && priceRub > maxPriceRub) {
    throw new PriceTooHigh(
      `it costs ${formatRub(priceRub)}, more than --max-price ${formatRub(maxPriceRub)}; nothing was submitted`,
      { code: 'max_price' },
    );
  }
  sayer(context)(`price: ${formatRub(priceRub)}`);
}

interface Once {
  readonly intent: string;
  readonly model: string;
  readonly body: Parameters<typeof sendExtension>[1];
  readonly quotedRub: number | undefined;
}

/** Written down, sent, and never sent again: there is no key by which the service would know it. */
async function once(world: JobWorld, order: Once): Promise<Extension> {
  const { intent, model, body, quotedRub } = order;
  world.ledger.append(
    now(world, {
      type: 'wanted',
      intent,
      kind: 'extend',
      account: world.account,
      owner: await newOwner(),
      model,
      wish: intent,
      headers: {},
      body: JSON.stringify(body),
      quotedRub,
    }),
  );
  try {
    const extension = await sendExtension(world.client, body);
    const { jobId, status, priceRub } = extension;
    note(world, { type: 'accepted', intent, jobId, status, priceRub });
    return extension;
  } catch (error) {
    const message = error instanceof Error ? error.message : undefined;
    if (!isHarmless(error)) {
      note(world, { type: 'uncertain', intent, isUnanswered: true, message });
      throw uncertain(error);
    }
    const why = error instanceof ApiError ? 'refused' : 'not_sent';
    note(world, { type: 'dropped', intent, why, code: error.code, message });
    throw error;
  }
}

/** Whether surely nothing was charged: it never left, or it was refused. */
function isHarmless(error: unknown): error is SvcError {
  if (error instanceof ApiError) return !error.outcomeUnknown;
  return error instanceof SvcError && !(error instanceof OutcomeUnknown);
}

function uncertain(error: unknown): unknown {
  if (!(error instanceof OutcomeUnknown || error instanceof ApiError)) return error;
  return new OutcomeUnknown(error.message, {
    code: error.code,
    hint: 'compare what is left before you send it again: `svc balance`, `svc usage list`',
    cause: error,
  });
}
