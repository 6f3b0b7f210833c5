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
  it('gives a pipe one model a line, id and type', async () => {
    const service = await fakeService(json(list));
    const result = await run('models list', { env: service.env });
    expect(result).toMatchObject({
      code: 0,
      stderr: '',
      stdout:
        'vendor/one\ttext\t\t\nvendor/two\u001b[2J\t\t\t\nvendor/three\ta type of tomorrow\t\t\n',
    });
    expect(service.requests).toMatchObject([{ method: 'GET', url: '/v1/models' }]);
  });

  it('gives a terminal a table without live controls', async () => {
    const service = await fakeService(json(list));
    const result = await run('models list', { env: service.env, tty: true });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout.split('\n')).toEqual([
      expect.stringMatching(/^MODEL +TYPE +PRICE +CONTEXT$/i),
      expect.stringMatching(/^vendor\/one +text$/),
      expect.stringMatching(/^vendor\/two␛\[2J$/),
      expect.stringMatching(/^vendor\/three +a type of tomorrow$/),
      '',
    ]);
  });

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

  it('says that there are none on stderr, so that a pipe stays empty', async () => {
    const service = await fakeService(json({ object: 'list', data: [] }));
    for (const tty of [false, true]) {
      const result = await run('models list', { env: service.env, tty });
      expect(result).toMatchObject({ code: 0, stdout: '', stderr: 'no models\n' });
    }
    const asJson = await run('models list --json', { env: service.env });
    expect(JSON.parse(asJson.stdout)).toEqual({ object: 'list', data: [] });
    expect(asJson.stderr).toBe('');
  });

  it('knows the models of the embedded service, pinned ones under --variants', async () => {
    const plain = await run('--local models list');
    const ids = plain.stdout.split('\n').map((line) => line.split('\t')[0]);
    const names = ['guide', 'echo', 'script', 'embed', 'decide'];
    expect(ids).toEqual([...names.map((name) => `local/${name}`), '']);
    const { stdout } = await run('--local models list --variants');
    expect(stdout).toContain('local/echo:economy\t');
  });

  it('takes JSON of another shape for no list', async () => {
    const service = await fakeService(json({ models: [] }));
    const result = await run('models list', { env: service.env });
    expect(result.code).not.toBe(0);
    expect(result).toMatchObject({ stdout: '' });
    expect(result.stderr).toMatch(/^error: [^\n]+\nhint: [^\n]+\n$/);
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

  it('shows fields that nobody told of as they came', async () => {
    const service = await fakeService(json({ id: 'v/m', limits: { context: 9 }, on: null }));
    const piped = await run('models show m', { env: service.env });
    expect(piped).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'Model\tv/m\nStored\tnot stated\nlimits\t{"context":9}\non\tnull\n',
    });
    const asJson = await run('models show m --json', { env: service.env, tty: true });
    expect(JSON.parse(asJson.stdout)).toEqual({ id: 'v/m', limits: { context: 9 }, on: null });
  });

  it('refuses a name that would lead elsewhere, and one that is missing', async () => {
    const service = await fakeService(json({}));
    for (const words of [['..'], ['.'], [''], []]) {
      const result = await run(['models', 'show', ...words], { env: service.env });
      expect(result, words.join()).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    }
    expect(service.requests).toEqual([]);
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
