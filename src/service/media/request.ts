/** Reads media requests, and decides whether a model can do them, and for how much. */
import * as z from 'zod/mini';
import { MediaRequest } from '../../contract/media.js';
import { recordOf } from '../../lib/json.js';
import type { Call, App } from '../call.js';
import { digestOf } from '../idempotency.js';
import { badRequest, ServiceFailure } from '../failure.js';
import { toMicroRub } from '../charge.js';
import { addressFault } from '../outbound.js';
import { parse } from '../body.js';
import { assertVoice } from '../voices/fees.js';
import type { MediaModel, ModelJob, Price, Violation } from './engines/model.js';
import { voice as voiceModel } from './engines/sound.js';
import { assertOpen, resolveMedia, type MediaRoute } from './models.js';
import { withSources } from './sources.js';

// Valid addresses depend on the service's settings, not only on the contract.
const GenerateRequest = z.extend(MediaRequest, { webhook_url: z.optional(z.string()) });

/** A quote accepts and ignores these. */
const ignored = z.optional(z.unknown());
const anything = { webhook_url: ignored, quote_id: ignored, max_price_rub: ignored };
const QuoteRequest = z.extend(MediaRequest, anything);

/** The body of a media call, checked against a schema that knows all its fields. */
export async function knownFields<Schema extends z.ZodMiniObject>(
  call: Call,
  schema: Schema,
): Promise<z.output<Schema>> {
  const body = await call.json();
  const names = Object.keys(recordOf(body)).filter((name) => !Object.hasOwn(schema.shape, name));
  if (names.length === 0) return parse(schema, body);
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 60)));
  const what = names.length === 1 ? 'the unknown field' : 'unknown fields:';
  const message = `the request has ${what} ${shown.join(', ')}`;
  const fields = { field: names[0], fields: names };
  throw new ServiceFailure(400, 'unknown_field', message, { fields });
}

type MakeRequest = Pick<z.output<typeof QuoteRequest>, 'model' | 'prompt' | 'opts' | 'strict'>;

export async function readQuoteRequest(call: Call): Promise<MakeRequest> {
  const request = await knownFields(call, QuoteRequest);
  return { ...request, strict: isStrict(call, request.strict) };
}

export async function readGenerateRequest(call: Call) {
  const body = await knownFields(call, GenerateRequest);
  const { webhook_url: webhookUrl, max_price_rub: most, quote_id: quoteId, ...request } = body;
  const { loopbackWebhooks } = call.app.settings;
  const fault = webhookUrl === undefined ? undefined : addressFault(webhookUrl, loopbackWebhooks);
  if (fault !== undefined) throw badRequest(`webhook_url ${fault}`, 'webhook_url');
  if (typeof most === 'string' && !/^\d{1,15}(\.\d{1,9})?$/.test(most)) {
    const message = 'max_price_rub must be a number of at least 0, such as 12.50';
    throw badRequest(message, 'max_price_rub');
  }
  const maxPriceRub = typeof most === 'string' ? Number(most) : most;
  return { ...request, strict: isStrict(call, request.strict), quoteId, maxPriceRub, webhookUrl };
}

function isStrict({ request, app }: Call, field: boolean | undefined): boolean {
  const header = request.headers.get(app.brand.header('strict'))?.toLowerCase() ?? '';
  return field === true || header === '1' || header === 'true';
}

/** A request that a model can do, and its price. */
export interface Offer extends MediaRoute {
  readonly job: ModelJob;
  readonly price: Price;
  readonly priceMicroRub: number;
  /** Of everything that the price depends on, except the channel. */
  readonly requestHash: string;
}

/** Checks and prices a request of an account; `missing` is the status for an unknown model. */
export async function makeOffer(
  app: App,
  accountId: string | undefined,
  { model: name, prompt, opts, strict }: MakeRequest,
  missing: 404 | 422,
): Promise<Offer> {
  const resolved = await resolveMedia(app, name, missing);
  assertOpen(resolved);
  const { model } = resolved;
  const { job, violations } = model.check({ prompt, opts });
  const faults = strict
    ? [...violations, ...(job ? unfetchedOf(job) : [])]
    : violations.filter(({ ignorable }) => !ignorable);
  if (!job || faults.length > 0) {
    const [first, ...rest] = faults;
    const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
    const violations = faults.map(({ field, message, allowed }) => ({ field, message, allowed }));
    const message = `${first?.message ?? 'the options are not valid'}${more}`;
    const code = strict ? 'strict_validation_failed' : 'invalid_options';
    throw new ServiceFailure(422, code, message, { fields: { violations } });
  }
  const voice = voiceOf(model, job);
  if (accountId !== undefined && voice !== undefined) {
    assertVoice(app, accountId, voice, { status: 422, param: 'opts.voice' });
  }
  const price = await withSources(app, accountId, job.references, job.price);
  const priceMicroRub = toMicroRub(price.priceRub);
  const requestHash = digestOf({ model: model.id, prompt, opts });
  return { ...resolved, job, price, priceMicroRub, requestHash };
}

export function voiceOf(
  model: MediaModel,
  { effectiveOpts: { voice } }: ModelJob,
): string | undefined {
  return model.id === voiceModel.id && typeof voice === 'string' ? voice : undefined;
}

export function unfetchedOf({ references }: ModelJob): Violation[] {
  const addresses = references.filter(({ form }) => form === 'url');
  return addresses.map(({ field, kind }) => {
    const message = `${field} is a URL, but the embedded service does not download: send the file as ${kind}_base64 or ${kind}_file_id`;
    return { field, message, ignorable: false };
  });
}
