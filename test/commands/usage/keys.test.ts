import { describe, expect, it } from 'vitest';
import { fakeService, json } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';

const statistics = {
  object: 'list',
  period: 'month',
  data: [
    { key: 'ci', route: ':fast', address_as: 'vendor/one:fast', requests: 12, priceRub: 3.5 },
    { key: 'laptop\u0007', requests: 3, models: ['vendor/one'] },
  ],
};

describe('svc usage keys', () => {
  it('gives a terminal a column for each field, and what stands beside them', async () => {
    const { env } = await fakeService(json(statistics));
    expect(await run('usage keys', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'key     route  address_as       requests  priceRub  models',
        'ci      :fast  vendor/one:fast        12       3.5',
        'laptop                                 3            ["vendor/one"]',
        '',
        'FIELD   VALUE',
        'period  month',
        '',
      ].join('\n'),
    });
  });

  it('gives a pipe a line for each entry', async () => {
    const { env, requests } = await fakeService(json(statistics));
    expect(await run('usage keys', { env })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'ci\t:fast\tvendor/one:fast\t12\t3.5\t\nlaptop\u0007\t\t\t3\t\t["vendor/one"]\n',
    });
    expect(requests.map(({ url }) => url)).toEqual(['/v1/usage']);
  });

  it('takes whatever comes', async () => {
    for (const [reply, stdout] of [
      [[{ key: 'a', n: 1 }], 'a\t1\n'],
      [{ keys: [{ name: 'a' }] }, 'a\n'],
      [{ spent: 5, nested: { a: 1 } }, 'spent\t5\nnested\t{"a":1}\n'],
      ['soon', '"soon"\n'],
      [null, 'null\n'],
    ] as const) {
      const { env } = await fakeService(json(reply));
      expect(await run('usage keys', { env })).toMatchObject({ code: 0, stdout, stderr: '' });
    }
    const { env } = await fakeService(json({ data: [] }));
    expect(await run('usage keys', { env })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no usage of any key\n',
    });
  });
});
