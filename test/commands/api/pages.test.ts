import { expect, it } from 'vitest';
import { fakeService, type FakeService, type Seen } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';

/** A service whose answer is what `page` makes of a query. */
function serving(page: (query: URLSearchParams, request: Seen) => unknown): Promise<FakeService> {
  return fakeService((request, response) => {
    const value = page(new URL(request.url, 'http://x').searchParams, request);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  });
}

const urls = ({ requests }: FakeService) => requests.map(({ url }) => url);

/** Records one to `total`, by page and limit as section 2.10 has them. */
function records(total: number) {
  return (query: URLSearchParams) => {
    const page = Number(query.get('page') ?? 1);
    const limit = Number(query.get('limit') ?? 2);
    const ids = Array.from({ length: total }, (_, index) => `r${String(index + 1)}`);
    const data = ids.slice((page - 1) * limit, page * limit).map((id) => ({ id }));
    return { data, page, limit, total };
  };
}

it('svc api --paginate follows numbered pages and prints each as it came, on a line of its own', async () => {
  const service = await serving(records(5));
  const line = 'api GET /v1/generations?dateFrom=x -F limit=2 --paginate';
  const result = await run(line, { env: service.env });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toBe(
    '{"data":[{"id":"r1"},{"id":"r2"}],"page":1,"limit":2,"total":5}\n' +
      '{"data":[{"id":"r3"},{"id":"r4"}],"page":2,"limit":2,"total":5}\n' +
      '{"data":[{"id":"r5"}],"page":3,"limit":2,"total":5}\n',
  );
  expect(urls(service)).toEqual([
    '/v1/generations?dateFrom=x&limit=2',
    '/v1/generations?dateFrom=x&limit=2&page=2',
    '/v1/generations?dateFrom=x&limit=2&page=3',
  ]);
});

it('svc api --paginate follows cursors', async () => {
  const service = await serving((query) => {
    const after = query.get('after') ?? '';
    const next = { '': 'c 1', 'c 1': 'c/2' }[after];
    return { data: [after], hasMore: next !== undefined, nextCursor: next ?? null };
  });
  const line = 'api GET /v1/tickets?status=open&after= --paginate';
  const { stdout, code } = await run(line, { env: service.env });
  expect(code).toBe(0);
  expect(stdout.split('\n').length).toBe(4);
  expect(urls(service)).toEqual([
    '/v1/tickets?status=open&after=',
    '/v1/tickets?status=open&after=c+1',
    '/v1/tickets?status=open&after=c%2F2',
  ]);
});

it.each([
  [{ data: [1], hasMore: true, nextCursor: 'same' }, '/v1/tickets?after=same'],
  [{ data: [1], page: 1, limit: 1, total: 9 }, '/v1/tickets?page=2'],
])('svc api --paginate follows no cycle, and says that %j leads nowhere', async (page, second) => {
  const service = await serving(() => page);
  const line = 'api GET /v1/tickets --paginate';
  const text = JSON.stringify(page);
  expect(await run(line, { env: service.env })).toMatchObject({
    code: 12,
    stdout: `${text}\n${text}\n`,
    stderr:
      'error: the service says that there is more but returns nothing new\nhint: run it again\n',
  });
  expect(urls(service)).toEqual(['/v1/tickets', second]);
  const slurped = await run(`${line} --slurp`, { env: service.env });
  expect(slurped).toMatchObject({ code: 12, stdout: `[${text},${text}]\n` });
});

it('svc api --paginate makes one array of the pages with --slurp', async () => {
  const service = await serving(records(3));
  const { stdout } = await run('api GET /x --paginate --slurp', { env: service.env });
  const [first, second] = [
    records(3)(new URLSearchParams()),
    records(3)(new URLSearchParams('page=2')),
  ];
  expect(stdout).toBe(`[${JSON.stringify(first)},${JSON.stringify(second)}]\n`);
  const shown = await run('api GET /x --paginate --slurp', {
    env: { ...service.env, NO_COLOR: '1' },
    tty: true,
  });
  expect(JSON.parse(shown.stdout)).toEqual([first, second]);
});

it('svc api --paginate stops at a page that is refused, with the pages before it on stdout', async () => {
  const service = await fakeService(({ url }, response) => {
    const isFirst = !url.includes('page=2');
    response.writeHead(isFirst ? 200 : 403, { 'content-type': 'application/json' });
    response.end(isFirst ? '{"data":[1],"page":1,"limit":1,"total":2}' : '{"error":"no"}');
  });
  const result = await run('api GET /x --paginate', { env: service.env });
  expect(result).toMatchObject({ code: 4 });
  expect(result.stdout).toBe('{"data":[1],"page":1,"limit":1,"total":2}\n{"error":"no"}');
  expect(result.stderr).toMatch(/^error: no\n/);
});
