import { describe, expect, it } from 'vitest';
import { fakeService, json } from '../helpers/fake-service.js';
import { run } from '../helpers/run.js';

const list = {
  object: 'list',
  data: [
    { id: 'vendor/one', object: 'model', type: 'text', extra: [1] },
    { id: 'vendor/two\u001b[2J', object: 'model' },
    { id: 'vendor/three', type: 'a type of tomorrow' },
  ],
};

describe('svc models list', () => {
  it('gives a script all that came, unknown fields too', async () => {
    const service = await fakeService(json(list));
    const result = await run('models list --json', { env: service.env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual(list);
  });

  it('asks for what the flags say', async () => {
    const service = await fakeService(json(list));
    await run('models list --type image --all --variants', { env: service.env });
    const { searchParams } = new URL(service.requests[0]?.url ?? '', service.origin);
    expect(Object.fromEntries(searchParams)).toEqual({ type: 'image', all: 'true', variants: '1' });
  });

  it('knows the models of the embedded service, pinned ones under --variants', async () => {
    const plain = await run('--local models list');
    const ids = plain.stdout.split('\n').map((line) => line.split('\t')[0]);
    const names = ['guide', 'echo', 'script', 'embed', 'decide'];
    expect(ids).toEqual([...names.map((name) => `local/${name}`), '']);
    const { stdout } = await run('--local models list --variants');
    expect(stdout).toContain('local/echo:economy\t');
  });
});

describe('svc models show', () => {
  it('asks for one model by any of its names, as one step of the path', async () => {
    const service = await fakeService(json({ id: 'x' }));
    for (const id of ['vendor/one', 'one:pin', 'a b?#%']) {
      await run(['models', 'show', id], { env: service.env });
    }
    const asked = service.requests.map(({ url }) => url);
    expect(asked.filter((url) => url.startsWith('/v1/models/'))).toEqual([
      '/v1/models/vendor%2Fone',
      '/v1/models/one%3Apin',
      '/v1/models/a%20b%3F%23%25',
    ]);
  });

  it('that does not exist is wrong usage, with the nearest that does', async () => {
    for (const [id, guess] of [
      ['local/guid', '; did you mean local/guide?'],
      ['cnavas', '; did you mean canvas?'],
      ['xyzxyzxyz', ''],
    ] as const) {
      expect(await run(`--local models show ${id}`)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: no model is called "${id}"${guess}\nhint: see which there are: \`svc --local models list --all\`\n`,
      });
    }
  });

  it('is the refusal of the service where that cannot list its models', async () => {
    const service = await fakeService(json({ error: 'no such model' }, 404));
    const result = await run('models show nope', { env: service.env });
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toMatch(/^error: no such model\nhint: [^\n]*`svc models list`\n$/);
  });
});
