import { afterAll, describe, expect, it } from 'vitest';
import { brandFrom } from '../../src/contract/brand.js';
import { endpoints } from '../../src/contract/index.js';
import { meet, pages, postings, type Page, type Posting } from './gateway-pages.js';

/** What a script takes for leave to send it again. */
const invitation = /nothing was charged|run it again|surely/i;

const counts = { runs: 0, charges: 0, twice: 0, invited: 0 };
afterAll(() => {
  process.stdout.write(`gateway pages: ${JSON.stringify(counts)}\n`);
});

/** Of a call that costs nothing and changes nothing: what the status says, as before. */
function codeOf({ status }: Page): number {
  if (status === 401 || status === 403) return 4;
  if (status === 402) return 5;
  if (status === 429) return 7;
  return status === 408 || (status >= 500 && status !== 501) ? 6 : 3;
}

async function check(posting: Posting, name: string): Promise<void> {
  const page = pages[name] ?? { status: 502, body: '' };
  const { code, stderr, charges } = await meet(posting, page);
  const isInviting =
    page.status >= 300 &&
    posting.kind !== 'safe' &&
    ([0, 6, 7].includes(code) || invitation.test(stderr));
  counts.runs += 1;
  if (posting.kind.startsWith('paid')) counts.charges += charges;
  if (posting.kind.startsWith('paid') && charges > 1) counts.twice += 1;
  if (isInviting) counts.invited += 1;
  const reported = { code, stderr, charges };
  // A page may be what is asked for.
  const isRaw = posting.line.startsWith('api') && (posting.kind === 'safe' || posting.isUnlisted);
  if (isRaw && page.status === 200) expect(reported).toMatchObject({ code: 0 });
  else if (posting.kind === 'safe') expect(reported).toMatchObject({ code: codeOf(page) });
  else expect(reported).toMatchObject({ code: 10, stderr: expect.not.stringMatching(invitation) });
  if (posting.kind.startsWith('paid')) expect(reported).toMatchObject({ charges: 1 });
}

describe.each(postings.map((posting) => [posting.line, posting.call, posting] as const))(
  'svc %s, whose %s is done',
  (_line, _call, posting) => {
    it.each(Object.keys(pages))('is not paid for again after %s', async (name) => {
      await check(posting, name);
    });
  },
);

it('covers every endpoint that receives data', () => {
  const brand = brandFrom('svc');
  const calls = postings.map(({ call }) => call);
  const missing = endpoints
    .filter(({ method }) => method === 'POST' || method === 'PATCH')
    .map(({ method, path }) => `${method} ${brand.path(path)}`)
    .filter((row) => {
      const pattern = new RegExp(`^${row.replace(/\{\w+\}/g, '[^/]+')}$`);
      return !calls.some((call) => pattern.test(call));
    });
  expect(missing).toEqual([]);
});

const once = ['generate', 'image create', 'speak', 'transcribe', 'voices create', 'jobs extend'];
const keyed = once.flatMap((verb) => {
  return postings.find(({ line, kind }) => line.startsWith(verb) && kind !== 'safe') ?? [];
});

describe.each(keyed.map((posting) => [posting.line, posting] as const))('svc %s', (_, posting) => {
  it.each(['HTML 404', 'HTML 401', 'HTML 429', 'HTML 302', 'empty 404', 'a message alone, 403'])(
    'typed again after %s, is not sent with a second key',
    async (name) => {
      const met = await meet(posting, pages[name] ?? { status: 404, body: '' }, true);
      expect(met).toMatchObject({ code: 10, charges: 1 });
      expect(met.stderr).toContain('may have been carried out and charged');
    },
  );
});

const [, chat] = postings;

it.each(['HTML 404', 'HTML 429', 'HTML 200'])(
  'svc chat --json says after %s that the outcome is unknown, with a code of its own',
  async (name) => {
    const met = await meet(
      chat ?? { line: '', call: '', kind: 'paid' },
      pages[name] ?? { status: 404, body: '' },
    );
    expect(met).toMatchObject({ code: 10, charges: 1 });
    expect(JSON.parse(met.stderr)).toMatchObject({ error: { exit: 10, code: 'not_the_service' } });
  },
);

it('a call that costs nothing still ends as its status says, and names the likely cause', async () => {
  const balance = { line: 'balance', call: 'GET /v1/balance', kind: 'safe' } as const;
  for (const [name, code] of [
    ['HTML 404', 3],
    ['HTML 401', 4],
    ['HTML 502', 6],
  ] as const) {
    const met = await meet(balance, pages[name] ?? { status: 404, body: '' });
    expect(met).toMatchObject({ code });
    expect(met.stderr.includes('a gateway or another site')).toBe(code < 6);
  }
});
