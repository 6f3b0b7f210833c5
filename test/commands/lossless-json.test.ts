/** What a service says beyond the specification is in --json, at the top and within items. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { png, schema } from '../helpers/fake-media.js';
import { fakeService, type Seen } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { PollingClock } from '../helpers/manual-clock.js';
import { run, words } from '../helpers/run.js';
import { wav } from '../lib/audio/files.js';

const top = { x_top: 'x_top' };
const item = { x_item: 'x_item' };
const thread = { id: 't1', object: 'ticket', subject: 's', status: 'open', messages: [item] };
const ticket = { ...thread, ...item };
const voice = { id: 'voice_00000000000000000001', name: 'x', engine: 'extvoice', ...item };
const job = { model: 'vendor/canvas', provider: 'pixel', priceRub: 2, ...top };
const counts = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1 };
const usage = { ...counts, ...item };
const quoted = { ok: true, priceRub: 2 };
const record = { id: 'g1', model: 'm', priceRub: 1, createdAt: '2026-01-01T00:00:00Z', ...item };
const message = { role: 'assistant', content: 'hi', ...item };
const choices = [{ index: 0, message, finish_reason: 'stop' }];
const chat = { id: 'c1', model: 'm', choices, usage, ...top };
const content = [{ type: 'text', text: 'hi', ...item }];
const turn = { id: 'c1', model: 'm', role: 'assistant', stop_reason: 'end_turn' };
const texts = [{ type: 'output_text', text: 'hi' }];
const output = [{ type: 'message', role: 'assistant', content: texts, ...item }];
const response = { id: 'r1', status: 'completed', model: 'm', output, usage, ...top };
const found = { results: [{ title: 'a', url: 'https://a.test', ...item }], cost_rub: 1, ...top };
const vectors = { data: [{ index: 0, embedding: [1], ...item }], model: 'm', usage, ...top };
const answers = { spam: { noul: 0.1, ...item } };
const capabilities = { models: [{ id: 'm', ...item }], pagination: { total: 1 }, ...top };
const image = { b64_json: png.toString('base64'), revised_prompt: 'y', ...item };
const images = { created: 1700000000, data: [image], ...top };
const listed = { object: 'list', data: [{ id: 'j', ...item }], ...top };
const accepted = { ok: true, jobId: 'job_1', status: 'processing', more: item, ...job };
const done = { status: 'success', resultUrls: [], more: item, ...job };
const opened = { deduplicated: false, ticket, ...top };
const report = '--subject Subject --message "It does not work"';
const samples = `voices add-samples ${voice.id} F/a.wav`;

/** [command, call, its reply]; what else is asked is answered as usual. */
const rows: readonly (readonly [line: string, call: string, reply: object])[] = [
  ['balance', 'GET /v1/balance', { balance_rub: 5, ...top, more: item }],
  ['models list', 'GET /v1/models', listed],
  ['models pricing', 'GET /v1/pricing', { data: [{ id: 'm', ...item }], ...top }],
  ['models capabilities', 'GET /v1/model-capabilities', capabilities],
  ['models show m', 'GET /v1/models/m', { id: 'm', more: item, ...top }],
  ['usage list', 'GET /v1/generations', { data: [record], page: 1, limit: 20, total: 1, ...top }],
  ['usage show g1', 'GET /v1/generations/g1', { ...record, ...top, more: item }],
  ['search hi', 'POST /v1/search', found],
  ['search --region ru hi', 'POST /api/search', found],
  ['decide -m m --state x --yes-no spam=S?', 'POST /v1/decisions', { answers, usage, ...top }],
  ['embed -m m hi', 'POST /v1/embeddings', { object: 'list', ...vectors }],
  ['chat -m m --no-log hi', 'POST /v1/chat/completions', chat],
  [
    'chat -m m --no-log --format messages hi',
    'POST /v1/messages',
    { ...turn, content, usage, ...top },
  ],
  ['chat -m m --no-log --format responses hi', 'POST /v1/responses', response],
  ['image list', 'GET /v1/images/generations', listed],
  ['image create -m m x -o F/', 'POST /v1/images/generations', images],
  ['generate vendor/canvas x --quote', 'POST /api/media/price', { ...quoted, more: item, ...top }],
  ['generate vendor/canvas x --no-wait', 'POST /api/media/generate', accepted],
  ['generate vendor/canvas x', 'GET /api/media/jobs/job_1', done],
  ['jobs show job_1', 'GET /api/media/jobs/job_1', done],
  ['jobs wait job_1', 'GET /api/media/jobs/job_1', done],
  [
    'jobs extend job_1 rain --tier fast --yes --no-wait',
    'POST /api/media/svc/extend',
    { jobId: 'job_2', more: item, ...top },
  ],
  [
    'jobs extend job_1 --tier fast --quote',
    'POST /api/media/svc/extend/price',
    { ...quoted, more: item, ...top },
  ],
  ['transcribe -m m F/a.wav', 'POST /v1/audio/transcriptions', { text: 'hi', more: item, ...top }],
  ['voices list', 'GET /api/media/voices', { voices: [voice], pricing: {}, ...top }],
  ['voices create me F/a.wav --consent', 'POST /api/media/voices', { ok: true, voice, ...top }],
  [samples, `POST /api/media/voices/${voice.id}/samples`, { ok: true, voice, ...top }],
  ['files upload F/a.png', 'POST /v1/files', { id: 'f1', more: item, ...top }],
  ['tickets list', 'GET /v1/tickets', { object: 'list', data: [ticket], hasMore: false, ...top }],
  ['tickets show t1', 'GET /v1/tickets/t1', { ticket, ...top }],
  ['tickets close t1', 'POST /v1/tickets/t1/close', { ticket, ...top }],
  ['tickets reply t1 more', 'POST /v1/tickets/t1/messages', { ticket, ...top }],
  [`tickets create ${report}`, 'POST /v1/tickets', opened],
  ['webhooks show', 'GET /api/webhooks', { mediaWebhookUrl: null, more: item, ...top }],
];

const usual: Readonly<Record<string, unknown>> = {
  'GET /v1/model-capabilities': {
    models: [{ id: 'vendor/canvas', kind: 'image', operations: [{ requestJsonSchema: schema }] }],
    pagination: { total: 1 },
  },
  'POST /api/media/price': { ok: true, priceRub: 2 },
  'POST /api/media/svc/extend/price': { priceRub: 2 },
  'POST /api/media/generate': { ok: true, jobId: 'job_1', status: 'processing', priceRub: 2 },
  'GET /api/media/voices': { voices: [voice], pricing: {} },
  'GET /v1/tickets/t1': { ticket: { ...ticket, messages: [] } },
};
const replyTo = (call: string) => usual[call] ?? { object: 'list', data: [], balance_rub: 100 };

it.each(rows)('svc %s --json has every field of %s', async (line, call, reply) => {
  const folder = join(testFolder(), 'x');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.wav'), wav(Buffer.alloc(96_000)));
  writeFileSync(join(folder, 'a.png'), png);
  const service = await fakeService(({ method, url }: Seen, response) => {
    const asked = `${method} ${url.replace(/\?.*$/, '')}`;
    const body = JSON.stringify(asked === call ? reply : replyTo(asked));
    const head = { 'content-type': 'application/json', 'x-svc-generation-id': 'gen_1' };
    response.writeHead(asked.endsWith('generate') ? 202 : 200, head).end(body);
  });
  const env = { ...service.env, SVC_SESSION: line.startsWith('webhooks') ? 'a=b' : undefined };
  const command = words(`${line.replaceAll('F/', `${folder}/`)} --json`);
  const { code, stdout, stderr } = await run(command, { env, clock: new PollingClock() });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain('"x_top"');
  expect(stdout).toContain('"x_item"');
  JSON.parse(stdout);
});
