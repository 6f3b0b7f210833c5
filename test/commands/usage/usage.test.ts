import { expect, it, vi } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { historyOf, recordAt, type HistoryRecord } from '../../helpers/history.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { run } from '../../helpers/run.js';

const clock = new PollingClock({ now: Date.UTC(2026, 10, 4, 12) });

const at = (day: number, hour: number) => Date.UTC(2026, 10, day, hour);
const all: readonly HistoryRecord[] = [
  { ...recordAt('d', at(3, 23), 'vendor/two'), priceRub: -2, promptTokens: 0, completionTokens: 0 },
  { ...recordAt('c', at(3, 0), 'vendor/two'), priceRub: 4, promptTokens: 100 },
  { ...recordAt('b', at(1, 23), 'vendor/one'), priceRub: 0.1 },
  { ...recordAt('a', at(1, 0), 'vendor/one'), priceRub: 0.2, completionTokens: 48 },
];

const answer = historyOf(all);

it('svc usage chart draws a bar for the cost of each day, its calls and tokens, and the totals', async () => {
  const { env } = await fakeService(answer);
  expect(await run('usage chart', { env, clock, tty: { stdout: true } })).toMatchObject({
    code: 0,
    stderr: 'days begin at midnight, UTC\n',
    stdout: [
      'DAY             COST                            CALLS   IN  OUT',
      '2026-11-01  0.30 RUB  ███▋                          2    2   50',
      '2026-11-02',
      '2026-11-03  2.00 RUB  ████████████████████████      1  100    2',
      '2026-11-04',
      'total       2.30 RUB                                3  102   52',
      '',
    ].join('\n'),
  });
});

it('svc usage chart gives a pipe a line for each day: cost, calls, tokens in and out', async () => {
  const { env, requests } = await fakeService(answer);
  expect(await run('usage chart', { env, clock })).toMatchObject({
    code: 0,
    stderr: '',
    stdout: [
      '2026-11-01\t0.3\t2\t2\t50',
      '2026-11-02\t0\t0\t0\t0',
      '2026-11-03\t2\t1\t100\t2',
      '2026-11-04\t0\t0\t0\t0',
      '',
    ].join('\n'),
  });
  // Thirty days back, from the start of that day.
  expect(requests[0]?.url).toBe(
    '/v1/generations?page=1&limit=100&dateFrom=2026-10-05T00%3A00%3A00.000Z',
  );
});

it('svc usage chart shows no day that its zone has left out, and says the zone', async () => {
  vi.stubEnv('TZ', 'Pacific/Apia');
  const { env } = await fakeService(historyOf([recordAt('a', Date.UTC(2011, 11, 30, 9))]));
  const how = { env, clock: new PollingClock({ now: Date.UTC(2011, 11, 31, 9) }) };
  const { stdout, stderr } = await run('usage chart --since 7d', { ...how, tty: true });
  vi.unstubAllEnvs();
  expect(stdout.match(/^[\d-]+/gm)).toEqual(['2011-12-29', '2011-12-31']);
  expect(stderr).toContain('days begin at midnight, Pacific/Apia\n');
});

it('svc usage chart counts a charge on the day of the clock, as budgets do', async () => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  const { env, requests } = await fakeService(answer);
  const { stdout } = await run('usage chart --since 7d', { env, clock });
  vi.unstubAllEnvs();
  expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
    ...[
      ['2026-11-01', '0.2'],
      ['2026-11-02', '0.1'],
      ['2026-11-03', '4'],
      ['2026-11-04', '-2'],
    ],
    [''],
  ]);
  expect(requests[0]?.url).toContain('dateFrom=2026-10-27T15%3A00%3A00.000Z');
});

const sum = (calls: number, inputTokens: number, outputTokens: number, priceRub: number) => {
  return { calls, usage: { inputTokens, outputTokens }, cost: { priceRub } };
};

it('svc usage chart gives --json the sums and their total, without crumbs behind the point', async () => {
  const { env } = await fakeService(answer);
  const result = await run('usage chart --by model --since 2026-11-01 --json', { env, clock });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toEqual({
    by: 'model',
    since: '2026-11-01T00:00:00.000Z',
    until: null,
    data: [
      { model: 'vendor/two', ...sum(1, 100, 2, 2) },
      { model: 'vendor/one', ...sum(2, 2, 50, 0.3) },
    ],
    total: sum(3, 102, 52, 2.3),
    timeZone: 'UTC',
  });
  expect((await run('usage chart --by model', { env, clock })).stdout).toBe(
    'vendor/two\t2\t1\t100\t2\nvendor/one\t0.3\t2\t2\t50\n',
  );
  const first = await run('usage chart --by model --limit 1 --json', { env, clock });
  expect(JSON.parse(first.stdout)).toMatchObject({
    data: [{ model: 'vendor/two' }],
    total: { calls: 3 },
  });
});

it('svc usage chart counts no tokens for media, and the list shows none to a person', async () => {
  const media = { promptTokens: 0, completionTokens: 0 };
  const records = [
    { ...recordAt('b', at(4, 1), 'vendor/two'), priceRub: 2.4, ...media },
    recordAt('a', at(3, 1)),
  ];
  const how = { env: (await fakeService(historyOf(records))).env, clock };
  const shown = await run('usage list', { ...how, tty: { stdout: true } });
  expect(shown.stdout).toMatch(/vendor\/two {9,}2\.40 RUB/);
  expect((await run('usage list', how)).stdout).toContain('vendor/two\t0\t0\t2.4');
});

it('svc usage chart counts what has no time or no model as unknown', async () => {
  const { env } = await fakeService(json({ data: [{ id: 'x', priceRub: 1 }] }));
  for (const by of ['day', 'model']) {
    expect(await run(`usage chart --by ${by}`, { env, clock })).toMatchObject({
      stdout: 'unknown\t1\t1\t0\t0\n',
    });
  }
});

it('svc usage shows one record by the id in the --json of a chat', async () => {
  const home = testFolder();
  const chat = await run('--local chat -m local/echo --json hi', { home });
  const answer = recordOf(JSON.parse(chat.stdout));
  const id = String(recordOf(answer['ids'])['generationId']);
  const { stdout, code } = await run(['--local', 'usage', 'show', id, '--json'], { home });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    id,
    priceRub: recordOf(answer['cost'])['priceRub'],
  });
});

it('svc usage keys takes whatever comes', async () => {
  for (const [reply, stdout] of [
    [[{ key: 'a', n: 1 }], `a${'\t'.repeat(8)}1\n`],
    [{ keys: [{ name: 'a' }] }, `${'\t'.repeat(8)}a\n`],
    [{ spent: 5, nested: { a: 1 } }, 'spent\t5\nnested\t{"a":1}\n'],
    ['soon', '"soon"\n'],
    [null, 'null\n'],
  ] as const) {
    const { env } = await fakeService(json(reply));
    expect(await run('usage keys', { env })).toMatchObject({ code: 0, stdout, stderr: '' });
  }
});
