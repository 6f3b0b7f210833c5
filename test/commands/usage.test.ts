import { describe, expect, it } from 'vitest';
import { recordOf } from '../../src/lib/json.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

describe('svc usage', () => {
  it('lists what each call cost, newest first, as tab-separated lines in a pipe', async () => {
    const home = testFolder();
    await run('--local chat -m local/echo one', { home });
    await run('--local chat -m local/echo "one two three four five"', { home });
    const { stdout, stderr, code } = await run('--local usage list', { home });
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows.map(([, model, input, output]) => [model, input, output])).toEqual([
      ['local/echo', '6', '6'],
      ['local/echo', '1', '1'],
    ]);
    for (const row of rows) {
      expect(row[0]).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(row[4]).toMatch(/^0\.\d+ RUB$/);
      expect(row[5]).toMatch(/^gen_/);
    }
  });

  it('shows one record by the id that --json of a chat tells', async () => {
    const home = testFolder();
    const chat = await run('--local chat -m local/echo --json hi', { home });
    const answer = recordOf(JSON.parse(chat.stdout));
    const id = String(recordOf(answer['ids'])['generation-id']);
    const { stdout, code } = await run(['--local', 'usage', 'show', id, '--json'], { home });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      priceRub: recordOf(answer['cost'])['priceRub'],
    });
  });

  it('shows each field of a record as it came, in each form', async () => {
    const record = { id: 'gen_1', model: 'v/m\u0007', priceRub: 0.5, route: { alias: ':fast' } };
    const { env, requests } = await fakeService(json(record));
    expect(await run('usage show gen_1', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: '',
      stdout:
        'FIELD     VALUE\nid        gen_1\nmodel     v/m␇\npriceRub  0.5\nroute     {"alias":":fast"}\n',
    });
    expect(await run('usage show gen_1', { env })).toMatchObject({
      code: 0,
      stdout: 'id\tgen_1\nmodel\tv/m\u0007\npriceRub\t0.5\nroute\t{"alias":":fast"}\n',
    });
    expect(JSON.parse((await run('usage show gen_1 --json', { env })).stdout)).toEqual(record);
    expect(new Set(requests.map(({ url }) => url))).toEqual(new Set(['/v1/generations/gen_1']));
  });
});
