/** Every row of the embedded service is asked: rightly, and in each way that it refuses. */
import { beforeAll, describe, expect, it } from 'vitest';
import { brandFrom, defaultBrand } from '../../src/contract/brand.js';
import { statusesOf } from '../../src/contract/describe.js';
import type { Endpoint } from '../../src/contract/endpoint.js';
import { endpoints, type EndpointId } from '../../src/contract/index.js';
import { createService, type Service } from '../../src/service/service.js';
import { ask as send, FakeClock, formOf, heldToRows, keys } from './helpers.js';
import { wav } from './media/tones.js';

const brand = brandFrom(defaultBrand);
const rows: readonly Endpoint[] = endpoints;
const recording = new Blob([Buffer.from(wav(5))]);
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000a0000001408', 'hex');

/** What a row is asked with; `ids` fill its path, `form` is sent in place of a body. */
interface Sample {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  readonly form?: Readonly<Record<string, string | Blob>>;
}

/** What is there to be asked about. */
interface Fixture {
  readonly service: Service;
  readonly film: string;
  readonly usage: string;
  readonly voice: string;
  readonly ticket: string;
  readonly attachment: string;
  readonly link: URL;
}

const user = [{ role: 'user', content: 'hi' }];
const film = { model: 'local/reel', prompt: 'waves', opts: { seconds: 1, resolution: '480p' } };
const subject = { subject: 'A subject', message: 'A message of ten letters.' };
const ofVoice = ({ voice }: Fixture) => ({ ids: { id: voice } });
const ofTicket = ({ ticket, attachment }: Fixture) => ({
  ids: { id: ticket, attachmentId: attachment },
});

const samples: Partial<Record<EndpointId, Sample | ((makeFixture: Fixture) => Sample)>> = {
  'chat.create': { body: { model: 'local/echo', messages: user } },
  'chat.messages': { body: { model: 'local/echo', max_tokens: 9, messages: user } },
  'chat.responses': { body: { model: 'local/echo', input: 'hi' } },
  'chat.countTokens': { body: { model: 'local/echo', messages: user } },
  'embeddings.create': { body: { model: 'local/embed', input: 'hi' } },
  'decisions.create': {
    body: { state: 'hi', questions: { a: { type: 'noul', instructions: 'is it?' } } },
  },
  'search.web': { body: { query: 'balance' } },
  'search.region': { body: { query: 'balance' } },
  'models.get': { ids: { id: 'local/echo' } },
  'media.generate': { body: film },
  'media.price': { body: film },
  'media.publicPrice': { body: film },
  'media.job': ({ film: id }) => ({ ids: { id } }),
  'media.file': ({ film: id, link }) => ({ ids: { id, idx: '0' }, query: link.search }),
  'media.extendPrice': { body: { tier: 'lite' } },
  'media.extend': ({ film: taskId }) => ({ body: { taskId, prompt: 'more', tier: 'lite' } }),
  'images.create': { body: { model: 'local/canvas', prompt: 'waves' } },
  'audio.speech': { body: { model: 'local/voice', input: 'hi' } },
  'audio.transcription': { form: { model: 'local/transcribe', file: recording } },
  'voices.create': {
    body: { name: 'Bob', consent: true, audio_base64: Buffer.from(wav(5)).toString('base64') },
  },
  'voices.delete': ofVoice,
  'voices.addSamples': (world) => ({
    ...ofVoice(world),
    body: { samples: [{ audio_base64: Buffer.from(wav(5)).toString('base64') }] },
  }),
  'files.upload': { form: { file: new Blob([png]) } },
  'billing.record': ({ usage: id }) => ({ ids: { id } }),
  'tickets.create': { body: { ...subject, subject: 'Another subject' } },
  'tickets.get': ofTicket,
  'tickets.reply': (world) => ({ ...ofTicket(world), body: { message: 'more' } }),
  'tickets.close': ofTicket,
  'tickets.attachment': ofTicket,
  'feedback.create': {
    body: { category: 'performance', summary: 'Slow', details: 'It is very slow.' },
  },
  'feedback.get': ofTicket,
  'webhooks.set': { body: { mediaWebhookUrl: 'https://example.com/jobs' } },
};

interface Asked extends Sample {
  readonly method?: string;
  /** The key, or null for none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it is sent. */
  readonly text?: string;
}

/** The status of an answer that is read to its end. */
async function statusOf(service: Service, row: Endpoint, asked: Asked): Promise<number> {
  const response = await ask(service, row, asked);
  await response.arrayBuffer();
  return response.status;
}

function ask(service: Service, row: Endpoint, asked: Asked): Promise<Response> {
  const { ids = {}, query = '', body, form, key = keys.local, text } = asked;
  const path = brand.path(row.path).replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
  const bySession = row.auth === 'session';
  const headers = { ...(bySession && { cookie: 'svc_session=local' }), ...asked.headers };
  return send(service, path + query, {
    ...{ method: asked.method ?? row.method, headers, key: bySession ? null : key },
    body: text ?? (form ? formOf(form) : body),
  });
}

function rowOf(id: EndpointId): Endpoint {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error(`no row ${id}`);
  return row;
}

/** The text that stands under one of these names, wherever it is in a reply. */
function idIn(reply: string, ...names: readonly string[]): string {
  const found = new RegExp(`"(?:${names.join('|')})":"([^"]+)"`).exec(reply)?.[1];
  if (found === undefined) throw new Error(`no ${names.join(' or ')} in ${reply}`);
  return found;
}

async function world(): Promise<Fixture> {
  const clock = new FakeClock();
  const options = { storePath: ':memory:', clock };
  const service = heldToRows(createService(options), options);
  const replyTo = async (id: EndpointId, asked: Asked) =>
    (await ask(service, rowOf(id), asked)).text();
  const jobId = idIn(await replyTo('media.generate', { body: film }), 'jobId');
  clock.set(clock.now() + 60_000);
  const job = await replyTo('media.job', { ids: { id: jobId } });
  const body = { ...sampleOf('voices.create').body, engine: 'extvoice' };
  const voice = idIn(await replyTo('voices.create', { body }), 'id');
  const form = { ...subject, files: new Blob([png]) };
  const ticket = idIn(await replyTo('tickets.create', { form }), 'id');
  const thread = await replyTo('tickets.get', { ids: { id: ticket } });
  return {
    service,
    film: jobId,
    usage: idIn(await replyTo('billing.history', {}), 'id'),
    voice,
    ticket,
    attachment: idIn(thread.slice(thread.indexOf('"attachments"')), 'id'),
    link: new URL(/http[^"]+/.exec(job)?.[0] ?? ''),
  };
}

function sampleOf(id: string, known?: Fixture): Sample {
  const sample = Object.entries(samples).find(([name]) => name === id)?.[1] ?? {};
  if (typeof sample !== 'function') return sample;
  if (!known) throw new Error(`${id} needs a world`);
  return sample(known);
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
