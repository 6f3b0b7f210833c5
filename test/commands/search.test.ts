import { expect, it } from 'vitest';
import { recordOf } from '../../src/lib/json.js';
import { fakeService, json, type Answer } from '../helpers/fake-service.js';
import { run, type RunOptions } from '../helpers/run.js';

const reply = {
  results: [
    { title: 'Node 20', url: 'https://example.com/node?v=20', snippet: 'Ends in\nApril\t2026.' },
    { title: '', url: 'https://example.org/', snippet: '' },
    { title: 'Open me', url: 'javascript:alert(1)', snippet: 'no' },
  ],
  searched: 1,
  cost_rub: 0.3,
  extra: { kept: true },
};

const searching =
  (value: unknown = reply): Answer =>
  (request, response) => {
    const body = request.url === '/v1/balance' ? { balance_rub: 12.5, currency: 'RUB' } : value;
    json(body, 200, { 'x-svc-generation-id': 'gen_1' })(request, response);
  };

async function searched(line: string, options: RunOptions = {}, answer = searching()) {
  const service = await fakeService(answer);
  const result = await run(line, { ...options, env: { ...service.env, ...options.env } });
  const sent = service.requests
    .filter(({ method }) => method === 'POST')
    .map(({ url, body }) => ({ url, body: recordOf(JSON.parse(body)) }));
  return { ...result, sent, requests: service.requests };
}

it('svc search lets people click web addresses, and nothing else', async () => {
  const { stdout } = await searched('search node', {
    tty: true,
    env: { FORCE_HYPERLINK: '1', NO_COLOR: '1' },
  });
  const link = (target: string, text: string) =>
    `\u001b]8;;${target}\u001b\\${text}\u001b]8;;\u001b\\`;
  const [first, second] = ['https://example.com/node?v=20', 'https://example.org/'];
  expect(stdout).toContain(`1. ${link(first, 'Node 20')}\n   ${link(first, first)}\n`);
  expect(stdout).toContain(`2. ${link(second, second)}\n`);
  expect(stdout).toContain('3. Open me\n   javascript:alert(1)\n');
});

it('svc search shows people the letters of an address; its link and pipes get it encoded', async () => {
  const [url, shown] = ['https://a.b/%D0%9C%D0%B8%D1%80', 'https://a.b/Мир'];
  const answer = searching({ results: [{ title: 'Город', url, snippet: 'x' }] });
  const env = { FORCE_HYPERLINK: '1', NO_COLOR: '1' };
  const { stdout } = await searched('search x', { tty: true, env }, answer);
  expect(stdout).toContain(`]8;;${url}\u001b\\${shown}\u001b]8;;`);
  for (const line of ['search x', 'search --urls x', 'search --json x']) {
    expect((await searched(line, {}, answer)).stdout).toContain(url);
  }
});

it('svc search prints addresses alone, and only those of the web', async () => {
  expect(await searched('search --urls node')).toMatchObject({
    stdout: 'https://example.com/node?v=20\nhttps://example.org/\n',
    stderr: '1 of the results has no web address\n',
    code: 0,
  });
});

it('svc search sends the given options', async () => {
  const web = await searched('search -n 3 --mode pro --country de --language en bau haus');
  expect(web.sent).toEqual([
    {
      url: '/v1/search',
      body: { query: 'bau haus', max_results: 3, mode: 'pro', country: 'de', language: 'en' },
    },
  ]);
  const regional = await searched('search --limit 3 --region global x');
  expect(regional.sent).toEqual([
    { url: '/api/search', body: { query: 'x', num: 3, region: 'global' } },
  ]);
});

it('svc search reads the query from a pipe, unless one is given', async () => {
  const piped = await searched('search', { stdin: 'from a pipe\n' });
  expect(piped.sent).toMatchObject([{ body: { query: 'from a pipe' } }]);
  const named = await searched('search words', { stdin: 'the rest' });
  expect(named.sent).toMatchObject([{ body: { query: 'words' } }]);
});
