import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeWith } from '../helpers/config-home.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { fails, run } from '../helpers/run.js';

const account = {
  base_url: 'https://a.example',
  key: 'sk-svc-0123456789abcdef',
  key_origin: 'https://a.example',
};
const kinds = ['image', 'video', 'music', 'audio', '3d', 'speech', 'transcription'];
const models = Object.fromEntries(
  [...kinds, 'embedding', 'decision'].map((kind) => [`model.${kind}`, `vendor/${kind}`]),
);
const home = () => {
  const folder = homeWith({
    profiles: { default: { ...account, model: 'vendor/chat', ...models } },
  });
  writeFileSync(join(folder, 'a.wav'), Buffer.from('RIFF\x04\0\0\0WAVE', 'latin1'));
  return folder;
};

const lines: readonly (readonly [line: string, model: string])[] = [
  ['chat hi', 'chat'],
  ['image create x', 'image'],
  ['speak hi', 'speech'],
  ['transcribe WAV', 'transcription'],
  ['embed x', 'embedding'],
  ["decide --state x --yes-no 'a=is it?'", 'decision'],
  ...['image', 'video', 'music', 'audio', '3d'].map(
    (kind) => [`generate ${kind} x`, kind] as const,
  ),
];

it.each(lines)('a default model is what `svc %s` uses: %s', async (line, kind) => {
  const folder = home();
  const typed = `${line.replace('WAV', join(folder, 'a.wav'))} --curl`;
  const { code, stdout, stderr } = await run(typed, { home: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`vendor/${kind}`);
});

it('without a default model, the first word of a prompt may be meant as one', async () => {
  const at = { home: homeWith({ profiles: { default: account } }) };
  expect(await run(['chat', 'local/guide', 'hi'], at)).toMatchObject(
    fails(2, 'hint: local/guide is a model: -m local/guide; to set a default:'),
  );
  expect((await run(['chat', 'and/or what', 'hi'], at)).stderr).toContain('svc models list');
});

it('a default model comes from its variable before the profile, and after the one that is given', async () => {
  const env = { SVC_MODEL: 'env/chat', SVC_MODEL_IMAGE: 'env/image' };
  const at = { home: home(), env };
  expect((await run('chat hi --dry-run', at)).stdout).toContain('"model": "env/chat"');
  expect((await run('image create x --dry-run', at)).stdout).toContain('"model": "env/image"');
  expect((await run('image create x -m a/b --dry-run', at)).stdout).toContain('"model": "a/b"');
  expect(await run('config get model.image', at)).toMatchObject({ stdout: 'env/image\n' });
  expect((await run('config list', at)).stdout).toContain(
    'model.image\tenv/image\tSVC_MODEL_IMAGE',
  );
});

it('a default model is set, shown, refused and removed like every setting', async () => {
  const at = { home: homeWith({ profiles: { default: account } }) };
  expect(await run('config set model.speech vendor/voice', at)).toMatchObject({
    code: 0,
    stderr: 'Set model.speech to vendor/voice in profile "default".\n',
  });
  expect((await run('config get model.speech', at)).stdout).toBe('vendor/voice\n');
  expect((await run('config unset model.speech', at)).code).toBe(0);
  expect((await run('config get model.speech', at)).code).toBe(2);
  expect(await run('config set model.image "two words"', at)).toMatchObject({
    code: 2,
    stderr: 'error: the model must be an ID without spaces, such as vendor/model\n',
  });
  await run('config set model.chat vendor/chat', at);
  expect((await run('config get model', at)).stdout).toBe('vendor/chat\n');
  expect((await run('config set model.imag x', at)).stderr).toContain('did you mean model.image?');
});

it.each([
  ['image create x', 'image', 'list --type image'],
  ['generate video x', 'video', 'list --type video'],
  ['speak x', 'speech', 'list --type audio'],
  ['embed x', 'embedding', 'list --type embedding'],
])('a default model is asked for by `svc %s` where none is set', async (line, kind, list) => {
  const { env } = await fakeService(json({ models: [] }));
  expect(await run(line, { env })).toMatchObject({
    code: 2,
    stderr:
      `error: no ${kind} model is set\n` +
      `hint: to list them: svc models ${list}; to set a default: svc config set model.${kind} MODEL\n`,
  });
});

it('a default model gives way to a model that is called like its kind', async () => {
  const models = [{ id: 'vendor/image', kind: 'image', operations: [] }];
  const { env, requests } = await fakeService(json({ models, priceRub: 1, price_rub: 1 }));
  await run('generate image x --quote', { env: { ...env, SVC_MODEL_IMAGE: 'env/image' } });
  expect(requests.at(-1)?.body).toContain('"model":"image"');
});

it('a default model --local uses a model of the embedded service, whatever the settings say', async () => {
  const { stdout } = await run('--local generate music x --quote', {
    env: { SVC_MODEL_MUSIC: 'x' },
  });
  expect(stdout).toMatch(/^Price\t\d+\.\d\d RUB\n/);
});

it('a default model is not needed where the account has one model of the kind, which is asked for once', async () => {
  const model = (id: string, type: string) => ({ id, type });
  const listed = [model('v/one', 'text'), model('v/two', 'text'), model('v/vectors', 'embedding')];
  const service = await fakeService(
    json({ data: listed.map((one, index) => ({ ...one, index, embedding: [1] })), usage: {} }),
  );
  const at = { env: service.env, home: homeWith({}) };
  expect((await run('chat hi', at)).stderr).toContain(
    'no chat model is set\nhint: such as v/one, v/two; to list them: svc models list;',
  );
  await run('embed x', at);
  const [asked, sent] = ['GET', 'POST'].map((one) =>
    service.requests.filter((request) => request.method === one),
  );
  expect(asked?.map(({ url }) => url).sort()).toEqual([
    '/api/media-catalog',
    '/v1/models?all=true',
    '/v1/pricing',
  ]);
  expect(sent?.[0]?.body).toContain('"model":"v/vectors"');
});

it.each([
  [500, 2],
  [404, 0],
])(
  'a default model is not guessed from a part of the lists: %i of one of them',
  async (status, code) => {
    const chat = { id: 'v/one', type: 'text', choices: [{ message: { content: 'hi' } }] };
    const { env } = await fakeService((request, response) => {
      if (request.url === '/v1/pricing') {
        json({}, status)(request, response);
        return;
      }
      const isAsked = request.method === 'POST';
      json(isAsked ? { ...chat, usage: {} } : { data: [chat] })(request, response);
    });
    const at = { env: env, home: homeWith({}) };
    const result = await run('chat hi --json --timeout 5s', at);
    expect(result).toMatchObject({ code });
  },
);
