import { recordOf, type JsonRecord } from '../../../src/lib/json.js';
import { vectorToBase64 } from '../../../src/lib/vectors.js';
import { front, type Answer } from '../../helpers/front.js';

/** What the service makes of a text: its length, its first letter's code, the number at its end. */
export function vectorOf(text: string): number[] {
  return [text.length, text.charCodeAt(0), Number(/\d+$/.exec(text)?.[0] ?? 0.5)];
}

/** How the service answers for these texts, in the encoding that was asked for. */
function vectors(body: Readonly<Record<string, unknown>>, id = 'gen_1'): Answer {
  const texts = [body['input']].flat().map(String);
  const isBase64 = body['encoding_format'] === 'base64';
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: isBase64 ? vectorToBase64(vectorOf(text)) : vectorOf(text),
  }));
  const usage = { prompt_tokens: 2 * texts.length, total_tokens: 2 * texts.length };
  // The order in which they come is not told.
  const json = { object: 'list', data: data.reverse(), model: 'vendor/embed', usage };
  return { json, headers: { 'x-svc-generation-id': id } };
}

type Own = Answer | undefined;

/**
 * A service that knows the model vendor/embed, and vendor/new, which its lists leave out; each call
 * costs 0.25 RUB.
 * @param instead answers a call for vectors by its number, from 1; undefined leaves it to the rest.
 */
export function scene(
  instead: (number: number, body: JsonRecord) => Own | Promise<Own> = () => undefined,
) {
  const lists: Readonly<Record<string, unknown>> = {
    '/v1/models': { data: [{ id: 'vendor/chat' }] },
    '/v1/pricing': { data: [{ id: 'vendor/embed' }], tools: [] },
    '/v1/balance': { balance_rub: 12.5 },
    '/v1/generations/gen_1': { id: 'gen_1', priceRub: 0.25 },
  };
  return front({
    usual: { env: { NO_COLOR: '1' } },
    standIn: async ({ method, url, body: text }, calls) => {
      if (/^\/v1\/models\/vendor%2Fnew(%3A|$)/.test(url)) return { json: { id: 'vendor/new' } };
      if (url.startsWith('/v1/models/')) return { status: 404, json: { error: 'no such model' } };
      if (method === 'POST') {
        const body = recordOf(JSON.parse(text));
        return (await instead(calls, body)) ?? vectors(body, `gen_${calls}`);
      }
      const records = Array.from({ length: calls }, (_, at) => ({ id: `gen_${calls - at}` }));
      const data = records.map((record) => ({ ...record, priceRub: 0.25 }));
      return { json: lists[url] ?? { data, page: 1, limit: 100, total: calls } };
    },
  });
}
