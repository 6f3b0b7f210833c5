/** A service that echoes the key: in its ids, its codes, its words and as the id of a job. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mediaService, type Reply } from '../helpers/fake-media.js';
import { events, fakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { PollingClock } from '../helpers/manual-clock.js';
import { run } from '../helpers/run.js';
import { ledgerTexts } from '../helpers/state.js';

/** Of no form that a key is known by. */
const key = 'Q7.of+no/known=form';
const ids = {
  'x-svc-request-id': key,
  'x-svc-generation-id': `gen-${key}`,
  'x-svc-media-job-id': key,
};
const words = { ok: false, code: key, message: `${'so '.repeat(163)}${key}`, field: key };

const lines: [what: string, line: string, reply: Reply][] = [
  ['a refusal', 'chat -m m hi', { status: 400, json: words, headers: ids }],
  ['a refusal of another form', 'search hi', { status: 422, json: { error: words }, headers: ids }],
  ['plain text', 'embed -m m hi', { status: 500, bytes: Buffer.from(words.message), headers: ids }],
  ['a redirect', 'balance', { status: 302, headers: { ...ids, location: `https://x/${key}` } }],
  ['a refused call by hand', 'api HEAD /v1/x', { status: 404, headers: ids }],
  ['a reply of another shape', 'search hi', { json: { results: key }, headers: ids }],
  ['a job', 'generate vendor/canvas a --no-wait', { status: 202, json: { jobId: key } }],
  [
    'the job that hides it',
    'generate vendor/canvas a --no-wait',
    { status: 202, json: { jobId: '[key]' } },
  ],
  ['the job of an image', 'image create -m m a', { status: 504, json: { ...words, jobId: key } }],
];

it.each(lines.flatMap((line) => ['', '--json'].map((json) => [...line, json] as const)))(
  'is not revealed by %s: svc %s',
  async (_, line, reply, json) => {
    const at = await mediaService();
    const job = { status: 'fail', failMsg: `no ${key}`, errorCode: key };
    const image = { id: key, model: 'm', created: Math.floor(Date.now() / 1000) };
    const isUsual = (url: string) => /price|capabilities|balance$/.test(url) && line !== 'balance';
    at.on(/./, { answer: ({ url }) => (isUsual(url) ? undefined : reply) });
    at.on(/^GET \/v1\/images/, { answer: { json: { data: [image] } } });
    at.on(/%5Bkey%5D$/, { answer: { json: job } });
    const home = testFolder();
    const env = { ...at.env, SVC_API_KEY: key };
    const result = await run(`${line} ${json}`, { env, home, clock: new PollingClock() });
    expect(result.code).toBeGreaterThan(2);
    expect(result.stdout + result.stderr).not.toContain('Q7.');
    expect(readFileSync(join(home, 'data', 'last-failure.json'), 'utf8')).not.toContain('Q7.');
    expect(ledgerTexts(home).join()).not.toContain('Q7.');
  },
);

it('is not revealed by the end of a stream, and an answer keeps its bytes', async () => {
  const said = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: key } }] })}\n\n`;
  const failed = `data: ${JSON.stringify({ error: { message: key, code: key } })}\n\n`;
  const service = await fakeService(events(said + failed, ids));
  const env = { ...service.env, SVC_API_KEY: key };
  for (const json of ['', '--json']) {
    const result = await run(`chat -m m hi ${json}`, { env });
    expect(result.code).toBe(json === '' ? 12 : result.code);
    if (json === '') expect(result.stdout.trim()).toBe(key);
    expect(result.stderr).not.toContain('Q7.');
  }
});
