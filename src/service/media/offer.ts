/** Decides whether a model can make what is asked, and for how much. */
import type { House } from '../call.js';
import { digestOf } from '../digest.js';
import { ServiceFailure } from '../failure.js';
import { toMicroRub } from '../money.js';
import {
  MediaRefusal,
  type Job,
  type MeasuredSources,
  type MediaModel,
  type Price,
  type SourceReference,
  type Violation,
} from './engines/types.js';
import { voice as voiceModel } from './engines/sound.js';
import { demandOpen, type ResolvedMedia } from './models.js';
import type { MediaWish } from './request.js';
import { demandVoice } from '../voices/use.js';
import { openSources } from './sources.js';

/** A job that a model could do, with its price. */
export interface Offer extends ResolvedMedia {
  readonly job: Job;
  readonly price: Price;
  readonly priceMicroRub: number;
  /** Of all that the price hangs on; the channel is not part of it. */
  readonly orderHash: string;
  readonly measured: MeasuredSources;
}

/**
 * Checks and prices a request.
 * @param accountId whose files it may name
 * @throws ServiceFailure 422 when it cannot run, 503 when its channel is closed
 */
export async function makeOffer(
  house: House,
  accountId: string | undefined,
  wish: MediaWish,
  { model, channel }: ResolvedMedia,
): Promise<Offer> {
  demandOpen({ model, channel });
  const { prompt, opts, strict } = wish;
  const checked = model.check({ prompt, opts });
  const job = jobOf(checked, strict);
  if (accountId !== undefined) demandOwnVoice(house, accountId, model, job);
  const { price, measured } = await priceOf(house, accountId, job);
  return {
    model,
    channel,
    job,
    price,
    priceMicroRub: toMicroRub(price.priceRub),
    orderHash: digestOf({ model: model.id, prompt, opts }),
    measured,
  };
}

function jobOf(checked: { job?: Job; violations: readonly Violation[] }, strict: boolean): Job {
  const { job, violations } = checked;
  const unfetched = job?.references.filter(isAddress).map(notFetched) ?? [];
  if (strict && violations.length + unfetched.length > 0) {
    throw refused('strict_validation_failed', [...violations, ...unfetched]);
  }
  if (!job) {
    throw refused(
      'invalid_options',
      violations.filter(({ ignorable }) => !ignorable),
    );
  }
  return job;
}

function demandOwnVoice(house: House, accountId: string, model: MediaModel, job: Job): void {
  const voice = voiceOf({ model, job });
  if (voice === undefined) return;
  demandVoice(house, accountId, voice, { status: 422, param: 'opts.voice' });
}

/** The voice that a job speaks with; undefined for jobs that do not speak. */
export function voiceOf({ model, job }: Pick<Offer, 'model' | 'job'>): string | undefined {
  const { voice } = job.effectiveOpts;
  return model.id === voiceModel.id && typeof voice === 'string' ? voice : undefined;
}

function isAddress({ form }: SourceReference): boolean {
  return form === 'url';
}

function notFetched({ field, kind }: SourceReference): Violation {
  const message =
    `${field} is an address, and the embedded service fetches nothing: ` +
    `give the file itself, as ${kind}_base64 or as ${kind}_file_id`;
  return { field, message, ignorable: false };
}

function refused(code: string, violations: readonly Violation[]): ServiceFailure {
  const [first, ...rest] = violations;
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  return new ServiceFailure(422, code, `${first?.message ?? 'the options do not fit'}${more}`, {
    fields: {
      violations: violations.map(({ field, message, allowed }) => ({ field, message, allowed })),
    },
  });
}

async function priceOf(house: House, accountId: string | undefined, job: Job) {
  return refusing(async () => {
    const opened = await openSources(house, accountId, job.references);
    await opened.close();
    return { price: job.price(opened.measured), measured: opened.measured };
  });
}

/** Every source must be at hand for a job to start: an address can be priced, but not used. */
export function demandSources({ job }: Offer): void {
  const address = job.references.find(isAddress);
  if (!address) return;
  const { field, message } = notFetched(address);
  throw new ServiceFailure(422, 'source_not_fetched', message, { param: field });
}

/** What a model refuses is a 422. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MediaRefusal) throw new ServiceFailure(422, error.code, error.message);
    throw error;
  }
}
