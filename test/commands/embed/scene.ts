import { recordOf, type JsonRecord } from '../../../src/lib/json.js';
import { vectorToBase64 } from '../../../src/lib/vectors.js';
import { bentService } from '../../helpers/bent-service.js';
import { json, type Answer, type Seen } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';

/** What the service makes of a text: its length, its first letter's code, the number at its end. */
export function vectorOf(text: string): number[] {
  return [text.length, text.charCodeAt(0), Number(/\d+$/.exec(text)?.[0] ?? 0.5)];
}

/** How the service answers for these texts, in the encoding that was asked for. */
export function vectors(body: Readonly<Record<string, unknown>>, id = 'gen_1'): Answer {
  const texts = [body['input']].flat().map(String);
  const isBase64 = body['encoding_format'] === 'base64';
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: isBase64 ? vectorToBase64(vectorOf(text)) : vectorOf(text),
  }));
  const usage = { prompt_tokens: 2 * texts.length, total_tokens: 2 * texts.length };
  // The order in which they come is not told.
  return json({ object: 'list', data: data.reverse(), model: 'vendor/embed', usage }, 200, {
    'x-svc-generation-id': id,
  });
}

/**
 * A service that knows the model vendor/embed, and vendor/new, which its lists leave out; each call
 * costs 0.25 RUB.
 * @param instead answers a call for vectors by its number, from 1; undefined leaves it to the rest.
 */
export function scene(
  instead: (number: number, body: JsonRecord) => Answer | undefined = () => undefined,
) {
  const answer = ({ method, url, body: text }: Seen, calls: number): Answer => {
    if (url === '/v1/models') return json({ data: [{ id: 'vendor/chat' }] });
    if (/^\/v1\/models\/vendor%2Fnew(%3A|$)/.test(url)) {
      return json({ id: 'vendor/new', object: 'model' });
    }
    if (url.startsWith('/v1/models/')) return json({ error: 'no such model' }, 404);
    if (url === '/v1/pricing') return json({ data: [{ id: 'vendor/embed' }], tools: [] });
    if (url === '/v1/balance') return json({ balance_rub: 12.5 });
    if (url.startsWith('/v1/generations/')) return json({ id: 'gen_1', priceRub: 0.25 });
    if (method !== 'POST') {
      const data = Array.from({ length: calls }, (_, index) => ({
        id: `gen_${String(calls - index)}`,
        priceRub: 0.25,
      }));
      return json({ data, page: 1, limit: 100, total: calls });
    }
    const body = recordOf(JSON.parse(text));
    return instead(calls, body) ?? vectors(body, `gen_${String(calls)}`);
  };
  return bentService(
    (request, response, calls) => {
      answer(request, calls)(request, response);
    },
    [],
    { home: testFolder(), env: { NO_COLOR: '1' } },
  );
}
