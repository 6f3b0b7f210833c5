import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { testFolder } from '../helpers/folder.js';
import { passages } from '../../src/service/engines/manual.js';
import type { Service } from '../../src/service/service.js';
import { balanceOf, ask, FakeClock, get, openService, post, read } from './helpers.js';

const Reply = z.strictObject({
  results: z.array(z.strictObject({ title: z.string(), url: z.string(), snippet: z.string() })),
  searched: z.number(),
  cost_rub: z.number(),
});

const forms = ['/v1/search', '/api/search'] as const;

function find(service: Service, body: object, path: (typeof forms)[number] = '/v1/search') {
  return read(post(service, path, body), Reply);
}

async function titles(service: Service, body: object, path?: (typeof forms)[number]) {
  return (await find(service, body, path)).results.map(({ title }) => title);
}

/** A folder of texts. */
function folderOf(texts: Readonly<Record<string, string>>): string {
  const folder = testFolder();
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const garden = {
  'pruning.md': '# Pruning roses\n\nCut the **roses** in `March`, above a bud that looks outwards.',
  'soil.txt': 'Soil for blueberries must be sour. Roses want clay. Water in the morning.',
  'deep/er/tools.md': '# Tools\n\nSharpen the secateurs; see [pruning](pruning.md).',
  'zvety.md': '# Розы\n\nРозы подрезают в марте, roses по-английски.',
};

const withGarden = () => openService({ corpusPath: folderOf(garden) });

describe.each(forms)('POST %s', (path) => {
  it('finds pages of the manual, the best first, at addresses that show them', async () => {
    const service = openService();
    const { results, searched } = await find(service, { query: 'balance too low' }, path);
    expect(searched).toBe(passages.length);
    expect(results).toHaveLength(10);
    expect(results[0]?.title).toBe('When the balance runs low');
    for (const { title, url, snippet } of results) {
      expect(snippet).not.toMatch(/[\n`*]/);
      const page = await ask(service, url, { key: null });
      expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect((await page.text()).replaceAll('`', '')).toContain(`# ${title}\n`);
    }
  });

  it('finds files of the folder among them, at addresses that show them', async () => {
    const service = withGarden();
    const reply = await find(service, { query: 'sharpen secateurs' }, path);
    expect(reply.searched).toBe(passages.length + 4);
    expect(reply.results[0]).toEqual({
      title: 'Tools',
      url: 'http://any.example/corpus/deep/er/tools.md',
      snippet: 'Sharpen the secateurs; see pruning.',
    });
    const page = await ask(service, reply.results[0]?.url ?? '', { key: null });
    expect(await page.text()).toBe(garden['deep/er/tools.md']);
  });

  it('finds nothing for unknown words, and it costs the same', async () => {
    const { results, cost_rub } = await find(openService(), { query: 'qqqqqqzzz' }, path);
    expect({ results, cost_rub }).toEqual({ results: [], cost_rub: 0.3 });
  });

  it.each(['the', ' ', '"', '\ud800', '__proto__', 'constructor'])(
    'takes %j for a query',
    async (query) => {
      await find(openService(), { query }, path);
    },
  );

  it('charges, and records the search under its mode', async () => {
    const service = openService({ openingBalanceRub: 0.5 });
    const response = await post(service, path, { query: 'balance' });
    expect(await response.json()).toMatchObject({ cost_rub: 0.3 });
    const id = response.headers.get('x-svc-generation-id') ?? '';
    expect(await (await get(service, `/v1/generations/${id}`)).json()).toMatchObject({
      model: 'local/search',
      route: ':turbo',
      address_as: 'local/search:turbo',
      promptTokens: 0,
      completionTokens: 0,
      priceRub: 0.3,
    });
    expect(await balanceOf(service)).toBe(0.2);
    const second = await post(service, path, { query: 'balance' });
    expect(second.status).toBe(402);
    expect(await balanceOf(service)).toBe(0.2);
  });
});

it('POST /v1/search has a price for each mode; only turbo is the same whatever it finds', async () => {
  const service = openService();
  const cost = async (mode: string, max_results: number) => {
    const reply = await find(service, { query: 'balance model', mode, max_results });
    expect(reply.results).toHaveLength(max_results);
    return reply.cost_rub;
  };
  expect(await cost('turbo', 2)).toBe(0.3);
  expect(await cost('turbo', 9)).toBe(0.3);
  expect(await cost('base', 2)).toBe(0.36);
  expect(await cost('base', 9)).toBe(0.57);
  expect(await cost('pro', 2)).toBe(0.72);
  expect(await cost('pro', 9)).toBe(1.14);
});

it('POST /v1/search forgives misspellings in the modes that cost more', async () => {
  const service = withGarden();
  const query = 'secatuers';
  expect(await titles(service, { query })).toEqual([]);
  expect(await titles(service, { query, mode: 'base' })).toContain('Tools');
  expect(await titles(service, { query, mode: 'pro' })).toContain('Tools');
});

it('POST /v1/search puts texts of a language before others', async () => {
  const service = withGarden();
  expect((await titles(service, { query: 'roses', language: 'en' }))[0]).toBe('Pruning roses');
  expect((await titles(service, { query: 'roses', language: 'RU' }))[0]).toBe('Розы');
  expect(await titles(service, { query: 'roses', language: 'ru' })).toContain('Pruning roses');
});

it('POST /api/search prefers Russian texts, unless the region is world', async () => {
  const texts = {
    'a.txt': 'tulip, a flower',
    'b.txt': 'тюльпан tulip по-русски и много других слов',
  };
  const russian = openService({ corpusPath: folderOf(texts) });
  const first = async (region: object) =>
    (await titles(russian, { query: 'tulip', ...region }, '/api/search'))[0];
  expect(await first({ region: 'global' })).toBe('a.txt');
  expect(await first({})).toBe('b.txt');
  expect(await first({ region: 'ru' })).toBe('b.txt');
});

it('a folder that changes is read again', async () => {
  const folder = folderOf({ 'a.txt': 'marigold' });
  const clock = new FakeClock();
  const service = openService({ corpusPath: folder, clock });
  expect(await titles(service, { query: 'marigold' })).toEqual(['a.txt']);
  writeFileSync(join(folder, 'a.txt'), 'dandelion');
  utimesSync(join(folder, 'a.txt'), 1, 1);
  writeFileSync(join(folder, 'b.md'), '# Bee\n\nmarigold');
  expect(await titles(service, { query: 'marigold' })).toEqual(['a.txt']);
  await clock.sleep(2000);
  expect(await titles(service, { query: 'marigold' })).toEqual(['Bee']);
  expect(await titles(service, { query: 'dandelion' })).toEqual(['a.txt']);
});

it('a folder that changes that is gone is reported, and nothing is charged', async () => {
  const service = openService({ corpusPath: join(testFolder(), 'nowhere') });
  const response = await post(service, '/v1/search', { query: 'a' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'corpus_unusable' } });
  expect(await balanceOf(service)).toBe(1000);
});

const show = (service: Service, path: string, method = 'GET') =>
  ask(service, path, { method, key: null });

it('the pages that were found are shown without a key, and nothing else is', async () => {
  const folder = folderOf({
    'corpus/a b#ё.txt': 'plain',
    'c.md': '# Marked',
    'd.key': 'secret',
    '.e.md': 'secret',
    'f.txt': 'a\0b',
  });
  writeFileSync(join(folder, '..', `${basename(folder)}.md`), 'outside');
  onTestFinished(() => rmSync(join(folder, '..', `${basename(folder)}.md`)));
  const service = openService({ corpusPath: folder });
  const plain = await show(service, `/corpus/corpus/${encodeURIComponent('a b#ё.txt')}`);
  expect(await plain.text()).toBe('plain');
  expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await show(service, '/corpus/c.md')).headers.get('content-type')).toBe(
    'text/markdown; charset=utf-8',
  );
  expect((await show(service, '/manual/the-balance')).status).toBe(200);
  for (const path of [
    ...['/manual/', '/manual', '/manual/nope', '/corpus', '/corpus/', '/corpus/corpus'],
    ...['/corpus/d.key', '/corpus/.e.md', '/corpus/f.txt', '/corpus/nope.md', '/c.md'],
    `/corpus/..%2f${basename(folder)}.md`,
    `/corpus/%2e%2e/${basename(folder)}.md`,
    `/corpus/corpus/..%2fc.md`,
    `/corpus/${encodeURIComponent(join(folder, 'c.md'))}`,
  ]) {
    expect((await show(service, path)).status, path).toBe(404);
  }
  expect((await show(service, '/corpus/c.md', 'POST')).status).toBe(404);
});

async function statuses(service: Service, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const path = forms[nth % 2] ?? forms[0];
    all.push((await post(service, path, { query: 'balance' })).status);
  }
  return all;
}

it('the pace of searches is 32 a minute over both forms, and then says how long to wait', async () => {
  const clock = new FakeClock(1_000_000);
  const service = openService({ clock });
  expect(await statuses(service, 1)).toEqual([200]);
  clock.set(1_020_500);
  expect(await statuses(service, 31)).toEqual(Array.from({ length: 31 }, () => 200));
  for (const path of forms) {
    const response = await post(service, path, { query: 'balance' });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('40');
    expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  }
  expect(await balanceOf(service)).toBe(1000 - 32 * 0.3);
  clock.set(1_059_999);
  const almost = await post(service, '/v1/search', { query: 'balance' });
  expect(almost.headers.get('retry-after')).toBe('1');
  clock.set(1_060_000);
  expect(await statuses(service, 2)).toEqual([200, 429]);
});
