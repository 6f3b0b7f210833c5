import { describe, expect, it } from 'vitest';
import { fakeKey, fakeService, json } from '../helpers/fake-service.js';
import { run } from '../helpers/run.js';

const list = {
  object: 'list',
  data: [
    { id: 'k1', object: 'api_key', name: 'ci', ip_allow_list: ['203.0.113.9'], last_used_at: null },
    { id: 'k2', object: 'api_key', name: 'laptop', sandbox: true },
  ],
};

describe('svc keys list', () => {
  it('gives a terminal a column for each field', async () => {
    const { env } = await fakeService(json(list));
    expect(await run('keys list', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'id  name    ip_allow_list    last_used_at  sandbox',
        'k1  ci      ["203.0.113.9"]',
        'k2  laptop                                 true',
        '',
      ].join('\n'),
    });
  });

  it('gives a pipe a line for each key', async () => {
    const { env, requests } = await fakeService(json(list));
    expect(await run('keys list', { env })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'k1\tci\t["203.0.113.9"]\t\t\nk2\tlaptop\t\t\ttrue\n',
    });
    expect(requests).toMatchObject([
      { method: 'GET', url: '/v1/keys', headers: { authorization: `Bearer ${fakeKey}` } },
    ]);
  });

  it.each(['keys list', 'keys show', 'usage keys'])(
    'never shows a whole key, whatever the service sends: %s',
    async (command) => {
      const keys = ['sk-svc-0123456789abcdefghij', 'sk-svc-zyxwvutsrqponmlkjihg'];
      const data = [{ name: `a: ${String(keys[0])}`, by: { [String(keys[1])]: 7 } }];
      for (const reply of [{ data }, data, keys, { key: keys[0], shown: 'sk-svc-…cdef' }]) {
        const { env } = await fakeService(json(reply));
        for (const form of ['', ' --json']) {
          const { stdout, code } = await run(`${command}${form}`, { env });
          expect(code).toBe(0);
          expect(stdout).toMatch(/sk-svc-0…ghij/);
          for (const key of keys) expect(stdout).not.toContain(key);
        }
      }
    },
  );

  it('knows the keys of the embedded service, and shows none of them whole', async () => {
    const { stdout, code } = await run('--local keys list');
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.includes('\tlocal\t'))).toHaveLength(1);
    expect(stdout).not.toContain('sk-svc-local');
  });
});

describe('svc keys show', () => {
  const usage = { balance_rub: 12.5, spent: { today: 1, month: 20.5 }, requests: 7 };

  it('shows what the key in use has spent, in each form', async () => {
    const { env, requests } = await fakeService(json(usage));
    expect(await run('keys show', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: '',
      stdout:
        'FIELD        VALUE\nbalance_rub  12.5\nspent        {"today":1,"month":20.5}\nrequests     7\n',
    });
    expect(await run('keys show', { env })).toMatchObject({
      stdout: 'balance_rub\t12.5\nspent\t{"today":1,"month":20.5}\nrequests\t7\n',
    });
    expect(JSON.parse((await run('keys show --json', { env })).stdout)).toEqual(usage);
    expect(requests.map(({ url }) => url)).toEqual(Array(3).fill('/api/key/usage'));
  });
});
