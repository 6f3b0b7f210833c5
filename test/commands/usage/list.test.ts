import { expect, it } from 'vitest';
import { fakeService, json } from '../../helpers/fake-service.js';
import { historyOf, records } from '../../helpers/history.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { run } from '../../helpers/run.js';

const two = {
  data: [
    {
      id: 'gen_2',
      model: 'vendor/two',
      promptTokens: 1200,
      completionTokens: 34,
      priceRub: 1.25,
      createdAt: '2026-11-02T10:00:00.000Z',
      route: ':fast',
      address_as: 'vendor/two:fast',
      kept: { a: [1] },
    },
    { id: 'gen_1', model: null, priceRub: -0.5, createdAt: '2026-11-01T09:00:00Z' },
  ],
  page: 1,
  limit: 20,
  total: 2,
};

it('svc usage list has the same columns with --csv whatever comes, and drops nothing', async () => {
  const { env } = await fakeService(json(two));
  expect((await run('usage list --csv', { env })).stdout).toBe(
    'createdAt,model,route,addressAs,promptTokens,completionTokens,priceRub,id,other\r\n' +
      '2026-11-02T10:00:00.000Z,vendor/two,:fast,vendor/two:fast,1200,34,1.25,gen_2,"{""kept"":{""a"":[1]}}"\r\n' +
      '2026-11-01T09:00:00Z,,,,,,-0.5,gen_1,\r\n',
  );
});

it('svc usage list says on a terminal how to see the rest of a list', async () => {
  const { env } = await fakeService(json({ ...two, limit: 2, page: 3, total: 1312 }));
  const last = await fakeService(json({ ...two, limit: 2, page: 3, total: 6 }));
  expect(await run('usage list --page 3', { env, tty: true })).toMatchObject({
    stderr: 'showing 5 to 6 of 1,312: --page 4 or --all\n',
  });
  for (const [line, other] of [
    ['usage list', { env }],
    ['usage list', { env: last.env, tty: true }],
  ] as const) {
    expect((await run(line, other)).stderr).toBe('');
  }
});

it('svc usage list keeps a spreadsheet from running what a service calls a model', async () => {
  const data = [{ id: '=1+1', model: '@SUM(A1)', publicRoute: '-x', addressAs: 7 }];
  const { env } = await fakeService(json({ data }));
  const { stdout } = await run('usage list --csv', { env });
  expect(stdout.split('\r\n')[1]).toBe(`,'@SUM(A1),'-x,,,,,'=1+1,"{""addressAs"":7}"`);
});

it.each([
  [
    '--since 2026-11-01 --until 2026-11 --page 2 --limit 5',
    '?page=2&limit=5&dateFrom=2026-11-01T00:00:00.000Z&dateTo=2026-11-30T23:59:59.999Z',
  ],
  ['--since 7d', '?dateFrom=2026-11-08T12:00:00.000Z'],
])('svc usage list requests what the flags say: %s', async (options, query) => {
  const { env, requests } = await fakeService(json(two));
  const clock = new PollingClock({ now: Date.UTC(2026, 10, 15, 12) });
  await run(`usage list ${options}`, { env, clock });
  expect(decodeURIComponent(requests[0]?.url ?? '')).toBe(`/v1/generations${query}`);
});

const all = records(230);

it('svc usage list --all gives every record of every page, in each form', async () => {
  const { env, requests } = await fakeService(historyOf(all));
  const ids = all.map(({ id }) => id);
  const piped = await run('usage list --all', { env });
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  const cells = piped.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(cells.map((row) => row[5])).toEqual(ids);
  expect(requests).toHaveLength(3);

  const csv = await run('usage list --all --csv', { env });
  expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(231);
  const asJson = await run('usage list --all --json', { env });
  expect(JSON.parse(asJson.stdout)).toEqual({ data: all, total: 230, complete: true });
});

it('svc usage list --all is well formed without any record', async () => {
  const { env } = await fakeService(historyOf([]));
  expect(JSON.parse((await run('usage list --all --json', { env })).stdout)).toEqual({
    data: [],
    total: 0,
    complete: true,
  });
  expect((await run('usage list --all --csv', { env })).stdout).toBe(
    'createdAt,model,route,addressAs,promptTokens,completionTokens,priceRub,id,other\r\n',
  );
});

it('svc usage list --all keeps what came before it broke off, says that it is incomplete, and how to resume', async () => {
  const { env } = await fakeService((request, response) => {
    if (request.url.includes('page=3')) response.writeHead(400).end('{"error":"no such page"}');
    else historyOf(all)(request, response);
  });
  const result = await run('usage list --all --json', { env });
  expect(result.code).toBe(12);
  expect(JSON.parse(result.stdout)).toEqual({ data: all.slice(0, 200), complete: false });
  expect(JSON.parse(result.stderr)).toEqual({
    error: {
      exit: 12,
      code: 'refused',
      message: 'no such page; 200 of 230 records were received',
      hint: 'continue after the last one: --until 2026-11-30T08:41:00.000Z',
    },
  });
});
