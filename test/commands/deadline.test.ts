/** --timeout is the time in all: from the first byte sent to the last byte read. */
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { chunks, fakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

/** An answer that goes on for ever, a little at a time. */
function drip(response: ServerResponse, first: string | Buffer, type: string, more = first): void {
  response.writeHead(200, { 'content-type': type });
  response.write(first);
  const timer = setInterval(() => response.write(more), 50);
  response.on('close', () => clearInterval(timer));
}

const wav = Buffer.from('RIFF\xff\xff\xff\x7fWAVEfmt ', 'latin1');
const word = chunks('word');

it.each<[line: string, code: number, stdout: RegExp, drips: (response: ServerResponse) => void]>([
  ['chat -m m hi', 12, /^(?:word)+\n?$/, (response) => drip(response, word, 'text/event-stream')],
  ['chat -m m --no-stream hi', 12, /^$/, (response) => drip(response, ' ', 'application/json')],
  ['balance', 6, /^$/, (response) => drip(response, ' ', 'application/json')],
  ['api GET /v1/balance', 12, /^ +$/, (response) => drip(response, ' ', 'application/json')],
  ['speak -m m hi -o -', 12, /^RIFF/, (response) => drip(response, wav, 'audio/wav')],
  ['speak -m m hi -o FOLDER/a.wav', 12, /^$/, (response) => drip(response, wav, 'audio/wav')],
])('svc %s is cut by it and ends with %i', async (line, code, stdout, drips) => {
  const service = await fakeService((_request, response) => drips(response));
  const folder = testFolder();
  const startedAt = performance.now();
  const words = line.replace('FOLDER', folder).split(' ');
  const options = { env: service.env, tty: { stdin: true } };
  const result = await run([...words, '--timeout', '300ms'], options);
  expect(performance.now() - startedAt).toBeLessThan(3000);
  expect(result).toMatchObject({ code, stdout: expect.stringMatching(stdout) });
  expect(result.stderr).toMatch(/not done within \d+ ms/);
  expect(readdirSync(folder)).not.toContain('a.wav');
});

it('is for the file of a job too, which is led back to', async () => {
  const service = await fakeService(({ url }, response) => {
    if (url.includes('/file/')) {
      drip(response, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image/png');
      return;
    }
    const resultUrls = [`http://${String(response.req.headers.host)}/api/media/file/job_1/0?sig=s`];
    const job = { jobId: 'job_1', status: 'success', resultUrls };
    const answers: Record<string, object> = {
      '/v1/model-capabilities': { models: [{ id: 'v/c', kind: 'image' }] },
      '/api/media/price': { ok: true, priceRub: 1, quoteId: 'q' },
    };
    response.writeHead(url.endsWith('/generate') ? 202 : 200, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify(answers[url.replace(/\?.*/, '')] ?? job));
  });
  const folder = testFolder();
  for (const line of ['generate v/c x', 'jobs download job_1']) {
    const result = await run([...line.split(' '), '--timeout', '1500ms', '-o', `${folder}/`], {
      env: service.env,
      tty: { stdin: true },
    });
    expect(result).toMatchObject({ code: 12 });
    expect(result.stderr).toContain('not done within');
    if (line.startsWith('generate')) expect(result.stderr).toContain('svc jobs download job_1');
  }
});
