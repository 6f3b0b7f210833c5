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
import { isRecord, listOf, numberOf, parsedJson, recordOf, textOf, toJson } from '../lib/json.js';
import type { JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { modelPrices, type PriceSource } from './prices.js';

type Paid = NonNullable<Endpoint['paid']>;

type Priced = Pick<HttpRequest, 'url' | 'body'>;

/** @throws PriceTooHigh when the price is not known, so that it cannot be limited. */
export async function priceLimit(source: PriceSource, paid: Paid, request: Priced) {
  const body = bodyIn(request);
  const model = textOf(body['model']) ?? paid;
  const unknown = (why = '') => unknownPrice(`the price of ${plainText(model, 100)}`, why);
  const rub = await maxRubOf(source, paid, request, body).catch((error: unknown) => {
    throw isOfTheList(error) ? unknown(`: ${error.message}`) : error;
  });
  if (rub === undefined || !(rub >= 0)) throw unknown();
  // A ceiling that the user gave counts as it is.
  if (paid === 'job' && rub === Number(body['max_price_rub'])) return { model, rub };
  return { model, rub: Math.ceil(rub * stepsPerRub(rub) - 1e-6) / stepsPerRub(rub) };
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
    const { inputRub, outputRub, tokens } = await tokenPrices(source, body);
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
  const content = paid === 'job' ? (request.body ?? '') : await bodyOfQuote(request, body);
  return (await askPriceOf(client, content)).priceRub ?? undefined;
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

function bodyIn({ body }: Priced): JsonRecord {
  if (typeof body !== 'object') return recordIn(body ?? '');
  if (!('open' in body)) return recordIn(Buffer.from(body).toString());
  if (body.form) return Object.fromEntries(body.form.fields);
  const texts = body.segments?.map((segment) => (typeof segment === 'string' ? segment : ''));
  return recordIn(texts?.join('') ?? '');
}

/** A service may read what is no JSON here, such as JSON after a byte order mark. @throws PriceTooHigh */
function recordIn(text: string): JsonRecord {
  const body = parsedJson(text);
  if (text === '' || isRecord(body)) return recordOf(body);
  throw unknownPrice('the price of a body that is not a JSON object', '', 'correct the body');
}

/** A token has at least two bytes in nearly every text, and an image has at most so many tokens. */
const bytesPerToken = 2;
const tokensPerImage = 5000;

/** What the input costs at most, what each token of output costs, and the most of these. */
export async function tokenPrices({ prices }: PriceSource, body: JsonRecord) {
  const model = modelPrices(await prices(), textOf(body['model']));
  return {
    inputRub: listOf(body['tools']).every(isRunByCaller)
      ? inputTokens(body) * model.maxInputRub
      : NaN,
    outputRub: (numberOf(body['n']) ?? 1) * model.maxOutputRub,
    tokens: answerLimit(body) ?? model.contextTokens,
  };
}

/** A tool that the service itself runs has a price of its own. */
function isRunByCaller(tool: unknown): boolean {
  const { type, tools } = recordOf(tool);
  if (type === 'namespace') return listOf(tools).every(isRunByCaller);
  return typeof type !== 'string' || type === 'function' || type === 'custom';
}

/** The fields that limit an answer, in all formats. */
const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/** The most tokens of output that a request asks for; undefined where it does not say. */
export function answerLimit(body: JsonRecord): number | undefined {
  const limits = limitFields.flatMap((field) => numberOf(body[field]) ?? []);
  return Math.max(0, ...limits) || undefined;
}

/** The body with this limit, in the fields that it has or in that of its format. */
export function limitAnswer({ id }: Endpoint, body: JsonRecord, maxTokens: number): JsonRecord {
  const present = limitFields.filter((field) => numberOf(body[field]) !== undefined);
  const usual = id === 'chat.responses' ? 'max_output_tokens' : 'max_tokens';
  const fields = present.length > 0 ? present : [usual];
  return { ...body, ...Object.fromEntries(fields.map((field) => [field, maxTokens])) };
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

function inputTokens(body: JsonRecord): number {
  let images = 0;
  const text = JSON.stringify(body, (_name, value: unknown) => {
    const type = textOf(recordOf(value)['type']) ?? '';
    if (!/^(?:input_)?image(?:_url)?$/.test(type)) return value;
    images += 1;
    return null;
  });
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken) + images * tokensPerImage;
}

/** The dearest of its mode; the first form of search has no mode (section 2.9). */
async function searchLimit({ prices }: PriceSource, { url }: Priced, body: JsonRecord) {
  const { pricing } = await prices();
  const tools = (entriesIn(recordOf(pricing)['tools'])?.entries ?? [])
    .map((tool) => ({ tool, text: JSON.stringify(tool) }))
    .filter(({ text }) => /search/i.test(text));
  const mode = url.pathname.endsWith('/api/search') ? '' : (textOf(body['mode']) ?? 'turbo');
  const ofMode = tools.filter(({ text }) => text.split(/\W+/).includes(mode));
  const count = numberOf(body['num'] ?? body['max_results']) ?? searchLimits.results.default;
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
  const form = typeof body === 'object' && 'open' in body ? body.form : undefined;
  const file = form?.files[0];
  const options = { quality, size, voice, language, audio_base64: file && 'recording' };
  const opts = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== 'auto'));
  const bytes = Buffer.alloc(file?.content.length ?? 0);
  let length = 0;
  const content = file?.content ?? bytes;
  for await (const piece of piecesOf(content)) {
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
