/** What the body of a request asks for, as far as its price depends on it. Programs write them, too. */
import type { Endpoint } from '../contract/endpoint.js';
import { messagesMaxTokens } from '../contract/limits.js';
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../lib/json.js';

/** The fields that limit an answer, in all formats. */
const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/** Those that a format knows; it may pass over the others. @param path of its row */
function fieldsOf(path: string): readonly string[] {
  if (path.endsWith('/responses')) return ['max_output_tokens'];
  return path.endsWith('/messages') ? ['max_tokens'] : ['max_tokens', 'max_completion_tokens'];
}

/**
 * The most tokens of output that a request asks for; undefined where it does not say, or says it in
 * a way that not every reader understands. @param path of its row; without one all fields count
 */
export function answerLimit(body: JsonRecord, path?: string): number | undefined {
  const fields = path === undefined ? limitFields : fieldsOf(path);
  const limits = fields.map((field) => body[field]).filter((limit) => isSet(limit));
  const isClear = limits.every((limit) => Number.isInteger(limit) && Number(limit) > 0);
  return limits.length > 0 && isClear ? Math.max(...limits.map(Number)) : undefined;
}

/** The body as it is where its answer has a limit, or no price; else with this limit. */
export function limited(
  row: Pick<Endpoint, 'paid' | 'path'>,
  body: JsonRecord,
  maxTokens: number = messagesMaxTokens,
): JsonRecord {
  const isOpen = row.paid === 'answer' && answerLimit(body, row.path) === undefined;
  return isOpen ? limitAnswer(row, body, maxTokens) : body;
}

/** The body with this limit, in the fields of its format that it has or in the usual one. */
export function limitAnswer(
  { path }: { readonly path: string },
  body: JsonRecord,
  maxTokens: number,
): JsonRecord {
  const known = fieldsOf(path);
  const present = known.filter((field) => isSet(body[field]));
  const fields = present.length > 0 ? present : known.slice(0, 1);
  return { ...body, ...Object.fromEntries(fields.map((field) => [field, maxTokens])) };
}

const isSet = (value: unknown) => value !== undefined && value !== null;

/** The most tokens of an answer with what the model thinks: a gateway may add that to the limit. */
export function outputTokens(body: JsonRecord, path?: string): number | undefined {
  const limit = answerLimit(body, path);
  const { budget_tokens: thinking = 0 } = recordOf(body['thinking']);
  const { max_tokens: reasoning = 0 } = recordOf(body['reasoning']);
  const budget = Math.max(numberOf(thinking) ?? 0, numberOf(reasoning) ?? 0);
  return limit !== undefined && budget >= limit ? limit + budget : limit;
}

/** How many answers it asks for; NaN where that is no number. */
export function answersOf({ n }: JsonRecord): number {
  return isSet(n) ? Math.max(1, Math.ceil(Number(n))) : 1;
}

/** How many results a search asks for; NaN where that is no number. */
export function resultsOf({ num, max_results: most }: JsonRecord): number | undefined {
  const counts = [num, most].filter(isSet).map(Number);
  return counts.length > 0 ? Math.max(1, ...counts) : undefined;
}

/** With them, more is charged than tokens, those of another model, or each for more. */
const pricedApart = [
  ...['audio', 'mcp_servers', 'models', 'plugins', 'speed', 'web_search_options'],
];
/** Names that must mean the same to each reader: some read them in any case. */
const read = new Set([
  ...[...limitFields, ...pricedApart, 'conversation', 'functions', 'input', 'instructions'],
  ...['messages', 'modalities', 'model', 'n', 'previous_response_id', 'prompt', 'reasoning'],
  ...['service_tier', 'system', 'thinking', 'tools'],
]);
const usualTier = /^(?:auto|default|standard|standard_only|flex)$/;

/** Whether it costs nothing but the tokens of one model that it names; decisions have a usual one. */
export function isPricedByTokens(body: JsonRecord): boolean {
  const { modalities, model, service_tier: tier, tools } = body;
  const isNamed = textOf(model) ? true : model === undefined && isRecord(body['questions']);
  const isUsual = !isSet(tier) || usualTier.test(textOf(tier) ?? '');
  const isText = listOf(modalities).every((one) => one === 'text');
  const hasOwnTools = !isSet(tools) || (Array.isArray(tools) && tools.every(isRunByCaller));
  const isClear = Object.keys(body).every((name) => {
    const folded = name.toUpperCase().toLowerCase();
    return folded === name || !read.has(folded);
  });
  const isApart = pricedApart.some((name) => isSet(body[name]));
  return isNamed && isUsual && isText && hasOwnTools && isClear && !isApart;
}

/** A tool that the service itself runs has a price of its own. */
function isRunByCaller(tool: unknown): boolean {
  const { type, tools } = recordOf(tool);
  if (type === 'namespace') return listOf(tools).every(isRunByCaller);
  return typeof type !== 'string' || type === 'function' || type === 'custom';
}

/** A token has at least two bytes in nearly every text, and an image has at most so many tokens. */
const bytesPerToken = 2;
const tokensPerImage = 5000;

const image = /^(?:input_)?image(?:_url)?$/;
/** They hold more than their bytes say, or are kept elsewhere. */
const opaque = /^(?:(?:input_)?(?:file|video)(?:_url)?|document|container_upload|item_reference)$/;

/** The most tokens of input; undefined where the body does not hold all of it. */
export function inputTokens(body: JsonRecord): number | undefined {
  let images = 0;
  let isWhole = [body['conversation'], body['previous_response_id']].every((one) => !isSet(one));
  isWhole &&= !isRecord(body['prompt']);
  const text = JSON.stringify(body, (_name, value: unknown) => {
    const type = isRecord(value) ? (textOf(value['type']) ?? '') : '';
    if (opaque.test(type)) {
      const kind = textOf(recordOf(recordOf(value)['source'])['type']) ?? '';
      isWhole &&= kind === 'text' || kind === 'content';
    }
    if (!image.test(type)) return value;
    images += 1;
    // Only these hold it; what is beside them may be read as text.
    return { ...recordOf(value), image_url: null, source: null };
  });
  if (!isWhole) return undefined;
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken) + images * tokensPerImage;
}
