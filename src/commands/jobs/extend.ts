import { askExtendPrice, extend as sendExtension, type Extension } from '../../api/media/extend.js';
import type { OnceKey } from '../../api/idempotency.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { extendVideo } from '../../contract/media-extend.js';
import { PriceTooHigh, UsageError } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import type { LedgerJob } from '../../state/ledger-fold.js';
import { openLedger } from '../../state/ledger.js';
import { destinationFrom } from './destination.js';
import { farewell, type Leaving } from './farewell.js';
import { namedJobs } from './find.js';
import { finishJob, tellId } from './finish.js';
import type { extend } from './index.js';
import { sendOnce, type OnceRequest } from './once.js';
import { assertBelow, demandPrice } from './price.js';
import { closeRun, requestHash, resumable, tellResuming } from './resume.js';
import { sayer } from './sayer.js';
import { note, openJobs, type JobWorld } from './world.js';

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
    ledger: openLedger(context.paths),
  });
  const world = await openJobs(context);
  const [video] = namedJobs(world, [args.id]);
  if (!video) return;
  if (options.quote) {
    const price = await askExtendPrice(world.client, tier);
    if (context.flags.json || price.priceRub === undefined) await context.out.json(price.reply);
    else await context.out.line(formatRub(price.priceRub));
    return;
  }
  const { seeds, watermark, maxPrice: maxPriceRub } = options;
  const prompt = await promptFrom(context, args.prompt);
  const body = {
    taskId: video.jobId,
    prompt,
    tier,
    ...(seeds === undefined ? {} : { seeds }),
    ...(watermark === undefined ? {} : { watermark }),
  };
  const wish = requestHash({ extend: body });
  const { taken } = destination;
  const earlier = await resumable(world, { wish, isNew: options.new, taken });
  const quotedRub = earlier
    ? earlier.quotedRub
    : await agree(context, (await askExtendPrice(world.client, tier)).priceRub, maxPriceRub);
  const model = video.ledger?.model ?? 'extend';
  await farewell(world, async (leave) => {
    const made = await started(world, { body, wish, model, quotedRub, leave }, earlier);
    leave.onJob(made.jobId);
    const { intent, jobId, status, priceRub = quotedRub } = made;
    const job = { intent, jobId, model, status, priceRub, startedAtMs };
    await demandPrice(world, job, { agreedRub: quotedRub, maxPriceRub });
    if (options.wait) await finishJob(world, job, { destination, open: options.open === true });
    else await tellId(world, job);
    closeRun(world, made.intent);
  });
};

interface Starting extends Pick<OnceRequest<Extension>, 'wish' | 'model' | 'quotedRub'> {
  readonly body: Parameters<typeof sendExtension>[1];
  readonly leave: Leaving;
}

async function started(
  world: JobWorld,
  { body, wish, model, quotedRub, leave }: Starting,
  earlier: LedgerJob | undefined,
): Promise<Extension & { readonly intent: string }> {
  if (earlier?.jobId !== undefined) {
    tellResuming(world, earlier);
    const { intent, jobId, state: status, priceRub, route } = earlier;
    return { intent, jobId, status, priceRub, route };
  }
  const request = { kind: 'extend', model, wish, body: JSON.stringify(body), quotedRub } as const;
  const send = (key: OnceKey) => sendExtension(world.client, body, key);
  const once = { ...request, row: extendVideo, send, onKey: leave.onKey };
  const { intent, reply } = await sendOnce(world, once, earlier);
  note(world, { type: 'accepted', intent, ...reply });
  return { intent, ...reply };
}

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

/**
 * No ceiling can be sent along: the price that was just told is held against it here.
 * @returns the price, undefined where the service names none and a person agreed all the same.
 */
async function agree(
  context: Context,
  priceRub: number | undefined,
  maxPriceRub: number | undefined,
): Promise<number | undefined> {
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
    return undefined;
  }
  assertBelow(priceRub, maxPriceRub);
  sayer(context)(`price: ${formatRub(priceRub)}`);
  return priceRub;
}
