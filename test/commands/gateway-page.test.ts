/** A paid request that was carried out, and a gateway's page in place of its answer. */
import { describe, expect, it } from 'vitest';
import { meet, pages, postings } from '../helpers/gateway-pages.js';

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
