/** What a job may cost: the price is asked for, shown, and sent as the ceiling of the job. */
import type { Client } from '../../api/client.js';
import { askPrice, type MediaBody, type Quote } from '../../api/media/submit.js';
import type { Context } from '../../cli/context.js';
import { ApiError, ConfigError } from '../../errors.js';
import { assertBelow } from '../../jobs/finish.js';
import { openJobs } from '../../jobs/job.js';
import { numberOf } from '../../lib/json.js';
import { formatRub } from '../../lib/money.js';
import { plainText } from '../../lib/plain-text.js';
import { knownModel } from './model.js';
import { fit, sendSources, type ReadyRequest, type Request } from './request.js';

/** The fields that hold a job to a quote and to a ceiling. */
type Ceiling = Pick<MediaBody, 'quote_id' | 'max_price_rub'>;

export interface Agreed {
  readonly ceiling: Ceiling;
  /** Undefined where the person brought a quote. */
  readonly priceRub?: number;
}

/**
 * Asks for the price, says it, and holds it against what the person said that it may cost at most.
 * @throws PriceTooHigh before anything is submitted; ApiError when the service names no price.
 */
export async function agree(
  client: Client,
  ready: ReadyRequest,
  maxPriceRub: number | undefined,
  say: (words: string) => void,
): Promise<Required<Agreed>> {
  const quote = await askPrice(client, ready.body, ready.payload());
  const { priceRub, quoteId } = quote;
  // Nothing costs less than nothing.
  if (priceRub === undefined || priceRub < 0) {
    throw new ApiError('the service names no price for it', {
      status: 200,
      code: 'no_price',
      hint: 'see what is known of it: --quote --json',
    });
  }
  assertBelow(priceRub, maxPriceRub);
  say(`price: ${priceWords(quote)}`);
  return { priceRub, ceiling: ceilingOf(quoteId, maxPriceRub ?? priceRub) };
}

export function ceilingOf(quoteId: string | undefined, maxPriceRub: number | undefined): Ceiling {
  return {
    ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    ...(maxPriceRub === undefined ? {} : { max_price_rub: maxPriceRub }),
  };
}

/**
 * --quote: what it would cost, with nothing made; with the key of the profile, or by the public
 * price without one. @throws as making it would.
 */
export async function showQuote(
  context: Context,
  request: Request,
  refresh: boolean,
): Promise<void> {
  const { out, flags } = context;
  const client = await context.client({ key: 'optional' });
  const isKeyless = client.key === undefined;
  const { capability } = isKeyless
    ? { capability: undefined }
    : await knownModel({ ...(await openJobs(context)), client, refresh }, request.model);
  const fitted = await fit(request, capability);
  // Without a key nothing is told of a model, and nothing can be uploaded.
  if (isKeyless && fitted.filled.some(({ form }) => form === 'file_id')) {
    throw new ConfigError('a local file is uploaded with a key, and no key is known', {
      code: 'no_key',
      hint: 'run `svc login`, or send the file with the request: --inline',
    });
  }
  const ready = await sendSources(client, fitted, dryRunOf(context));
  const quote = await askPrice(client, ready.body, ready.payload());
  if (flags.json) await out.json(quote.reply);
  else await out.table([{ title: 'WHAT' }, { title: 'VALUE' }], quoteRows(quote));
}

/** How much of the sources a dry run shows. */
export function dryRunOf({ flags }: Pick<Context, 'flags'>): 'whole' | 'words' | undefined {
  if (flags.curl) return 'whole';
  return flags.dryRun ? 'words' : undefined;
}

/** `12.50 RUB`, `12.50 RUB (an estimate: the length is not known)`. */
function priceWords({ priceRub, isEstimate, estimateReason }: Quote): string {
  const amount = priceRub === undefined ? 'no price' : formatRub(priceRub);
  if (!isEstimate) return amount;
  const reason = plainText(estimateReason ?? '', 200);
  return `${amount} (an estimate${reason === '' ? '' : `: ${reason}`})`;
}

/** All that a quote tells, in rows for people. */
function quoteRows(quote: Quote): string[][] {
  const { breakdown, quoteId, expiresAt, reply } = quote;
  const lengths = lengthNames.flatMap(([field, name]) =>
    typeof reply[field] === 'number' ? [[name, `${String(reply[field])} s`]] : [],
  );
  const parts = Object.entries(breakdown).map(([name, value]) => [
    plainText(name, 60),
    plainText(String(numberOf(value) ?? JSON.stringify(value)), 60),
  ]);
  return [
    ['Price', priceWords(quote)],
    ...parts,
    ...lengths,
    ...(quoteId === undefined ? [] : [['Quote', plainText(quoteId, 128)]]),
    ...(expiresAt === undefined ? [] : [['Valid until', plainText(expiresAt, 60)]]),
  ];
}

/** What the service measures in the sources, or works out from them. */
const lengthNames = [
  ['audioSeconds', 'Measured audio'],
  ['outputSeconds', 'Length of the result'],
  ['sourceSeconds', 'Measured source'],
] as const;
