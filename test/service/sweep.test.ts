/** Every row of the embedded service is asked: rightly, and in each way that it refuses. */
import { beforeAll, describe, expect, it } from 'vitest';
import { statusesOf } from '../../src/contract/describe.js';
import type { Endpoint } from '../../src/contract/endpoint.js';
import type { EndpointId } from '../../src/contract/index.js';
import type { Service } from '../../src/service/service.js';
import { keys } from './helpers.js';
import {
  ask,
  rowOf,
  rows,
  sampleOf,
  world,
  type Asked,
  type Fixture,
  type Sample,
} from './samples.js';

/** The status of an answer that is read to its end. */
async function statusOf(service: Service, row: Endpoint, asked: Asked): Promise<number> {
  const response = await ask(service, row, asked);
  await response.arrayBuffer();
  return response.status;
}

/** The usage records of the account. */
async function recordsOf(service: Service): Promise<string> {
  return (await ask(service, rowOf('billing.history'), {})).text();
}

/** The paths of all nulls in a reply. */
function nulls(value: unknown, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => nulls(inner, `${path}.${name}`));
}

/** What section 2 calls nullable, or tri-state; and addresses of an account that has none. */
const nullable =
  /\.(resultsExpireAt|resultText|resultMeta|failMsg|errorCode|retryGuidance|stores_data_in_russia|storesDataInRussia|last_used_at|next_charge_at|deletion_at|sample_count|clientIncidentId|repliedAt|nextCursor|mediaWebhookUrl|balanceWebhookUrl)$/;

/** Rows that name a model, those of media apart, which have words of their own for it. */
const modelRows = [
  ...['chat.create', 'chat.messages', 'chat.responses', 'chat.countTokens', 'embeddings.create'],
  ...['decisions.create', 'images.create', 'audio.speech', 'audio.transcription'],
];
const models = ['local/echo', 'local/embed', 'local/decide', 'local/canvas', 'local/voice', 'reel'];

/** What is no key, some of it as a page in a browser sends it, and keys that are refused. */
const badKeys: readonly (readonly [status: number, asked: Asked, says?: RegExp])[] = [
  [401, { key: null, headers: { origin: 'https://attacker.example' } }],
  [401, { key: 'nope' }],
  [401, { key: '' }],
  [401, { key: null, headers: { authorization: keys.local } }],
  [401, { key: null, headers: { authorization: `Basic ${btoa(`${keys.local}:`)}` } }],
  [401, { key: null, headers: { cookie: `authorization=Bearer ${keys.local}` } }],
  [401, { key: null, query: `?key=${keys.local}&api_key=${keys.local}` }],
  [403, { key: keys.blocked }],
  [429, { key: keys.limited }],
  [400, { headers: { 'x-api-key': keys.sandbox } }, /conflicting_keys/],
];

describe.each(rows.map((row) => [row.id, row] as const))('%s', (id, row) => {
  const keyed = row.auth === 'bearer' || row.auth === 'key';
  let known: Fixture;
  let sample: Sample;
  beforeAll(async () => {
    known = await world();
    sample = sampleOf(id, known);
  });
  const status = (asked: Asked = {}) => statusOf(known.service, row, { ...sample, ...asked });

  it.skipIf(!keyed)('refuses what keys are refused for, before anything is paid', async () => {
    const before = await recordsOf(known.service);
    for (const [expected, asked, says = /./] of badKeys) {
      const response = await ask(known.service, row, { ...sample, ...asked });
      expect([asked, response.status]).toEqual([asked, expected]);
      expect(await response.text()).toMatch(says);
      const scheme = response.headers.get('www-authenticate');
      expect(scheme).toBe(expected === 401 ? 'Bearer' : null);
      expect(response.headers.get('retry-after')).toBe(expected === 429 ? '1' : null);
    }
    expect(await recordsOf(known.service)).toEqual(before);
  });

  it('refuses another method, whatever a header says, and names its own', async () => {
    const headers = { 'x-http-method-override': row.method, 'x-method-override': row.method };
    const asked = { ...sample, form: undefined, method: 'PUT', headers };
    const response = await ask(known.service, row, asked);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')?.split(', ')).toContain(row.method);
  });

  it.skipIf(!row.body)('refuses a body that cannot be read, or is too large', async () => {
    const type = sample.form ? 'multipart/form-data; boundary=x' : 'application/json';
    const headers = { 'content-type': type };
    expect(await status({ text: '{', headers })).toBe(400);
    const huge = { ...headers, 'content-length': String(2 ** 40) };
    expect(await status({ text: '{', headers: huge })).toBe(413);
  });

  it.skipIf(!row.body)(
    'refuses a field that does not fit its schema, before anything is paid',
    async () => {
      const { body = {} } = sample;
      const name = Object.keys(body).at(-1) ?? 'any';
      const before = await recordsOf(known.service);
      const wrong = { body: { ...body, [name]: 7 }, form: undefined };
      expect(await status(wrong)).toBe(id.startsWith('voices.') ? 422 : 400);
      expect(await recordsOf(known.service)).toEqual(before);
    },
  );

  it.skipIf(!row.path.includes('{id}'))('has nothing under an unknown id', async () => {
    expect(await status({ ids: {}, query: '' })).toBe(404);
  });

  it.skipIf(!modelRows.includes(id))(
    'refuses a model that does something else, or is none',
    async () => {
      const asking = (model: string) => {
        const { body, form } = sample;
        const other = form ? { form: { ...form, model } } : { body: { ...body, model } };
        return ask(known.service, row, other);
      };
      const others = models.filter((model) => !JSON.stringify(sample).includes(model));
      for (const model of others.flatMap((one) => [one, `${one}:standard`])) {
        const response = await asking(model);
        const reply = await response.text();
        expect([response.status, reply]).toEqual([
          400,
          expect.stringContaining(model.replace(/:.*/, '')),
        ]);
        expect(reply).toMatch(/"model_(not_supported|not_image|unsuitable)"/);
      }
      for (const model of ['nobody', 'canvas:gold', 'echo:gold']) {
        expect((await asking(model)).status).toBe(id === 'decisions.create' ? 400 : 404);
      }
    },
  );

  it.skipIf(!row.statuses.includes(402))('is refused without money', async () => {
    // The film is not that account's own.
    expect(await status({ key: keys.empty })).toBe(id === 'media.extend' ? 404 : 402);
  });

  it('answers x-api-key alone with success, and with no null that may be absent', async () => {
    const other = keyed ? { key: null, headers: { 'x-api-key': keys.local } } : {};
    const response = await ask(known.service, row, { ...sample, ...other });
    const reply = await response.text();
    expect(response.status, reply).toBe(row.statuses[0]);
    if (row.returns === 'bytes' || id === 'openapi.get') return;
    const found = nulls(JSON.parse(reply)).filter((path) => !nullable.test(path));
    expect(found).toEqual([]);
  });

  it('fails in one of its own ways when its store is gone', async () => {
    known.service.close();
    expect(statusesOf(row)).toContain(await status());
  });
});

const status = (known: Fixture, id: EndpointId, asked: Asked) =>
  statusOf(known.service, rowOf(id), { ...sampleOf(id, known), ...asked });

it('what only some rows answer 206 and 416 for a stretch of a file', async () => {
  const known = await world();
  for (const id of ['media.file', 'tickets.attachment'] as const) {
    expect(await status(known, id, { headers: { range: 'bytes=0-3' } })).toBe(206);
    expect(await status(known, id, { headers: { range: 'bytes=999999999-' } })).toBe(416);
  }
});

it('what only some rows answer 503 where a channel is closed, and 502 where one fails', async () => {
  const known = await world();
  for (const id of ['images.create', 'audio.speech', 'media.generate', 'media.price'] as const) {
    const { body } = sampleOf(id, known);
    const models = new Map<string, string>([
      ['images.create', 'canvas'],
      ['audio.speech', 'voice'],
    ]);
    const model = models.get(id) ?? 'reel';
    const closed = { body: { ...body, model: `${model}:closed` } };
    expect(await status(known, id, closed)).toBe(503);
    const refusing = { body: { ...body, model: `${model}:refusing` } };
    expect(await status(known, id, refusing)).toBe(id === 'media.price' ? 200 : 502);
  }
});

it('what only some rows answer 409 where an Idempotency-Key is taken', async () => {
  const known = await world();
  const headers = { 'idempotency-key': 'k' };
  expect(await status(known, 'audio.speech', { headers })).toBe(200);
  for (const id of ['images.create', 'media.generate', 'media.extend', 'voices.create'] as const) {
    expect(await status(known, id, { headers })).toBe(409);
  }
});
