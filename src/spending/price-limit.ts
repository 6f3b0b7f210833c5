/** The most that a paid request may cost, from its body and the prices that the service gives. */
import { call } from '../api/call.js';
import type { Client } from '../api/client.js';
import { askExtendPrice, type Quote } from '../api/media/submit.js';
import { modelFacts } from '../api/model-facts.js';
import { entriesIn, isOfTheList } from '../api/models.js';
import type { Payload } from '../api/prepare.js';
import { listVoices } from '../api/voices.js';
import type { Endpoint } from '../contract/endpoint.js';
import { extendTiers } from '../contract/enums.js';
import { fewestTokens, search as searchLimits } from '../contract/limits.js';
import { quotePrice, quotePublicPrice } from '../contract/media.js';
import { PriceTooHigh } from '../errors.js';
import { jsonBody } from '../http/request-body.js';
import { piecesOf, type HttpRequest } from '../http/types.js';
import { formatRub } from '../lib/amounts.js';
import { isRecord, numberOf, parsedJson, recordOf, textOf, toJson } from '../lib/json.js';
import type { JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import {
  answerLimit,
  answersOf,
  inputTokens,
  isPricedByTokens,
  outputTokens,
  resultsOf,
} from './asked.js';
import { modelPrices, type PriceSource } from './prices.js';

type Paid = NonNullable<Endpoint['paid']>;

type Priced = Pick<HttpRequest, 'url' | 'body'>;

/** @throws PriceTooHigh when the price is not known, so that it cannot be limited. */
export async function priceLimit(source: PriceSource, paid: Paid, request: Priced) {
  const body = bodyIn(request);
  const model = modelIn(body, paid);
  const what = textOf(body['model']) ? plainText(model, 100) : 'this request';
  const unknown = (why = '') => unknownPrice(`the price of ${what}`, why);
  const rub = await maxRubOf(source, paid, request, body).catch((error: unknown) => {
    throw isOfTheList(error) ? unknown(`: ${error.message}`) : error;
  });
  if (rub === undefined || !(rub >= 0)) throw unknown();
  // A ceiling that the user gave counts as it is.
  if (paid === 'job' && rub === Number(body['max_price_rub'])) return { model, rub };
  return { model, rub: Math.ceil(rub * stepsPerRub(rub) - 1e-6) / stepsPerRub(rub) };
}

/** The model that a body names; without one, what sets its price. */
export function modelIn(body: JsonRecord, paid: Paid): string {
  const named = textOf(body['model']) ?? '';
  return named === '' ? paid : named;
}

/** A limit is as exact as it is shown, and never less. */
export const stepsPerRub = (rub: number) => (rub < 1 ? 1_000_000 : 100);

function unknownPrice(what: string, why = '', hint = 'see `svc models pricing`'): PriceTooHigh {
  const message = `${what} is not known, and a ceiling or budget is set${why}; nothing was sent`;
  return new PriceTooHigh(message, { code: 'price_unknown', hint });
}

async function maxRubOf(source: PriceSource, paid: Paid, request: Priced, body: JsonRecord) {
  const { client } = source;
  if (paid === 'request') return undefined;
  if (paid === 'input') return (await tokenPrices(source, body)).inputRub;
  if (paid === 'search') return searchLimit(source, request, body);
  if (paid === 'voice') return voicePrice((await listVoices(client)).pricing, body['engine']);
  if (paid === 'extension') {
    const tier = extendTiers.find((one) => one === body['tier']);
    return tier && (await askExtendPrice(client, tier)).priceRub;
  }
  if (paid === 'answer') {
    const { inputRub, outputRub, tokens } = await tokenPrices(source, body, request.url.pathname);
    const isKnown = tokens !== undefined || !(inputRub >= 0 && outputRub > 0);
    if (isKnown) return inputRub + (tokens ?? 0) * outputRub;
    const hint = 'limit it: --max-tokens N, or --shorten';
    throw unknownPrice('the longest answer of this model', '', hint);
  }
  const ceiling = body['max_price_rub'];
  if (paid === 'job' && ceiling !== undefined) {
    // A service may take anything else, such as null, as no ceiling.
    const isRub = typeof ceiling === 'number' || /^\d+(?:\.\d+)?$/.test(textOf(ceiling) ?? '');
    return isRub ? Number(ceiling) : undefined;
  }
  if (paid === 'media' && (!textOf(body['model']) || formOf(request)?.files[1])) return undefined;
  const content = paid === 'job' ? (request.body ?? '') : await bodyOfQuote(request, body);
  const { priceRub } = await askPriceOf(client, content);
  return priceRub === undefined || priceRub === null ? undefined : priceRub * answersOf(body);
}

/** The price of a request that is no job itself, such as that of an image. */
export async function askSyncPrice(client: Client, body: JsonRecord): Promise<Quote> {
  return askPriceOf(client, await bodyOfQuote({}, body));
}

async function askPriceOf(client: Client, content: Payload['body']): Promise<Quote> {
  const row = client.key === undefined ? quotePublicPrice : quotePrice;
  const payload = { contentType: 'application/json', body: content };
  return (await call(client, { ...row, body: undefined }, {}, { payload })).data;
}

export function bodyIn({ body }: Priced): JsonRecord {
  if (typeof body !== 'object') return recordIn(body ?? '');
  if (!('open' in body)) return recordIn(Buffer.from(body).toString());
  // Of two fields with one name, a reader may take either.
  const fields = body.form?.fields ?? [];
  const names = fields.map(([name]) => name).filter((name) => !name.endsWith('[]'));
  if (body.form) return new Set(names).size === names.length ? Object.fromEntries(fields) : {};
  const texts = body.segments?.map((segment) => (typeof segment === 'string' ? segment : ''));
  return recordIn(texts?.join('') ?? '');
}

/** A service may read what is no JSON here, such as JSON after a byte order mark. @throws PriceTooHigh */
function recordIn(text: string): JsonRecord {
  const body = parsedJson(text);
  if (text === '' || isRecord(body)) return recordOf(body);
  throw unknownPrice('the price of a body that is not a JSON object', '', 'correct the body');
}

const formOf = ({ body }: Pick<Priced, 'body'>) =>
  typeof body === 'object' && 'open' in body ? body.form : undefined;

/** What the input costs at most, what each token of output costs, and the most of these. */
export async function tokenPrices({ prices }: PriceSource, body: JsonRecord, path?: string) {
  const model = modelPrices(await prices(), textOf(body['model']));
  const input = isPricedByTokens(body) ? (inputTokens(body) ?? model.contextTokens) : undefined;
  return {
    inputRub: (input ?? NaN) * model.maxInputRub,
    outputRub: answersOf(body) * model.maxOutputRub,
    tokens: outputTokens(body, path) ?? model.contextTokens,
  };
}

export const shorterAnswer = 'limit the answer with --max-tokens N or --shorten, or ';

/**
 * The tokens of output that `leftRub` pays for; undefined where the answer fits as it is, or its
 * price is not known. @param hint what to do about too few. @throws PriceTooHigh
 */
export async function fittingTokens(
  source: PriceSource,
  body: JsonRecord,
  leftRub: number,
  hint: string,
): Promise<number | undefined> {
  // With room for the field that it fills in.
  const filled = answerLimit(body) ? body : { ...body, room_for_max_tokens: 1_000_000 };
  const { inputRub, outputRub, tokens = Infinity } = await tokenPrices(source, filled);
  const exactRub = Math.floor(leftRub * stepsPerRub(leftRub) + 1e-6) / stepsPerRub(leftRub);
  const fitting = Math.floor((exactRub - inputRub) / outputRub);
  if (!(fitting < tokens)) return undefined;
  if (fitting >= fewestTokens) return fitting;
  const words = `fewer than ${fewestTokens} tokens of an answer fit into ${formatRub(exactRub)}`;
  throw new PriceTooHigh(`${words}; nothing was sent`, { code: 'max_cost', hint });
}

/** The dearest of its mode; the first form of search has no mode (section 2.9). */
async function searchLimit({ prices }: PriceSource, { url }: Priced, body: JsonRecord) {
  const { pricing } = await prices();
  const tools = (entriesIn(recordOf(pricing)['tools'])?.entries ?? [])
    .map((tool) => ({ tool, text: JSON.stringify(tool) }))
    .filter(({ text }) => /search/i.test(text));
  const { mode: asked = 'turbo' } = body;
  const mode = url.pathname.endsWith('/api/search') ? '' : (textOf(asked) ?? '');
  const ofMode = tools.filter(({ text }) => text.split(/\W+/).includes(mode));
  const count = resultsOf(body) ?? searchLimits.results.default;
  const rubs = (ofMode.length > 0 ? ofMode : tools).map(({ tool }) => {
    const each = modelFacts(tool).amounts.map(({ rub, per = 'request' }) => {
      if (/^results?$/.test(per)) return rub * count;
      return /^(?:request|call|search|query|use)$/.test(per) ? rub : NaN;
    });
    return each.length > 0 ? each.reduce((sum, rub) => sum + rub) : NaN;
  });
  return rubs.length > 0 ? Math.max(...rubs) : undefined;
}

/** A synchronous request as a job; a recording goes with it, because the service measures it. */
async function bodyOfQuote({ body }: Pick<Priced, 'body'>, fields: JsonRecord) {
  const { model, input, prompt = input, quality, size, voice, language } = fields;
  const file = formOf({ body })?.files[0];
  const options = { quality, size, voice, language, audio_base64: file && 'recording' };
  const opts = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== 'auto'));
  const bytes = Buffer.alloc(file?.content.length ?? 0);
  let length = 0;
  for await (const piece of piecesOf(file?.content ?? bytes)) {
    bytes.set(piece, length);
    length += piece.length;
    // A source that is not read to its end does not count as sent.
    if (length === bytes.length) break;
  }
  const sources = new Map(file && [['recording', { length, bytes }]]);
  return jsonBody(toJson({ model, prompt, opts }), sources);
}

/** Section 4.5 names the prices and does not show them: one, or one for each engine. */
function voicePrice(pricing: unknown, engine: unknown): number | undefined {
  const { creation, currency = 'RUB' } = recordOf(pricing);
  const { [String(engine)]: own = creation } = recordOf(creation);
  const rubs = [own, ...Object.values(recordOf(own))].flatMap((rub) => numberOf(rub) ?? []);
  const isRub = (recordOf(own)['currency'] ?? currency) === 'RUB';
  return isRub && rubs.length > 0 ? Math.max(...rubs) : undefined;
}
