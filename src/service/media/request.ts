/** Reads media requests (section 2.11). */
import * as z from 'zod/mini';
import { MediaRequest } from '../../contract/media.js';
import { isRecord } from '../../lib/json.js';
import type { Call } from '../call.js';
import { badRequest, ServiceFailure } from '../failure.js';
import { webhookFault } from '../notify/address.js';
import { parse } from '../body.js';

/** What is to be made. */
export interface MediaWish {
  readonly model: string;
  readonly prompt?: string;
  readonly opts?: Readonly<Record<string, unknown>>;
  /** Refuse what would not run exactly as written. */
  readonly strict: boolean;
}

/** What is to be made, and on what terms. */
export interface GenerateWish extends MediaWish {
  readonly quoteId?: string;
  readonly maxPriceRub?: number;
  readonly webhookUrl?: string;
}

// What an address may be hangs on the service's settings, not on the contract alone.
const GenerateRequest = z.extend(MediaRequest, { webhook_url: z.optional(z.string()) });

/** A quote accepts these and ignores them. */
const ignored = z.optional(z.unknown());
const QuoteRequest = z.extend(MediaRequest, {
  webhook_url: ignored,
  quote_id: ignored,
  max_price_rub: ignored,
});

/**
 * The body of a media call, checked against a schema that knows all its fields.
 * @throws ServiceFailure 400 unknown_field, which names every unknown field
 */
export async function knownFields<Schema extends z.ZodMiniObject>(
  call: Call,
  schema: Schema,
): Promise<z.output<Schema>> {
  const body = await call.json();
  const unknown = isRecord(body)
    ? Object.keys(body).filter((name) => !Object.hasOwn(schema.shape, name))
    : [];
  if (unknown.length > 0) throw unknownFields(unknown);
  return parse(schema, body);
}

function unknownFields(names: readonly string[]): ServiceFailure {
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 60)));
  return new ServiceFailure(
    400,
    'unknown_field',
    `the request has ${names.length === 1 ? 'the unknown field' : 'unknown fields:'} ${shown.join(', ')}`,
    { fields: { field: names[0], fields: names } },
  );
}

/** The body of a price quote. */
export async function readQuoteRequest(call: Call): Promise<MediaWish> {
  const { model, prompt, opts, strict } = await knownFields(call, QuoteRequest);
  return { model, prompt, opts, strict: strict === true || strictHeader(call) };
}

/** The body of a generate call. */
export async function readGenerateRequest(call: Call): Promise<GenerateWish> {
  const body = await knownFields(call, GenerateRequest);
  const { webhook_url: webhookUrl } = body;
  const fault =
    webhookUrl === undefined
      ? undefined
      : webhookFault(webhookUrl, call.house.media.loopbackWebhooks);
  if (fault !== undefined) throw badRequest(`webhook_url ${fault}`, 'webhook_url');
  return {
    model: body.model,
    prompt: body.prompt,
    opts: body.opts,
    strict: body.strict === true || strictHeader(call),
    quoteId: body.quote_id,
    maxPriceRub: ceiling(body.max_price_rub),
    webhookUrl,
  };
}

function strictHeader({ request, house }: Call): boolean {
  const value = request.headers.get(house.brand.header('strict'));
  return value === '1' || value?.toLowerCase() === 'true';
}

function ceiling(value: number | string | undefined): number | undefined {
  if (typeof value !== 'string') return value;
  if (!/^\d{1,15}(\.\d{1,9})?$/.test(value)) {
    throw badRequest(
      'max_price_rub must be a number of at least 0, such as 12.50',
      'max_price_rub',
    );
  }
  return Number(value);
}
