/** What svc knows of a model: its help, its cache, and what it does when nothing is known. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { capabilityOf } from '../../../src/api/media/capabilities.js';
import { FakeMedia, refusal, schema } from '../../helpers/fake-media.js';
import { fakeService, json } from '../../helpers/fake-service.js';
import { jsonOf, run } from '../../helpers/run.js';
import { scene, type Scene } from './scene.js';

const asked = (at: Scene) =>
  at.requests.filter(({ url }) => url.startsWith('/v1/model-capabilities')).length;

it('svc generate MODEL --help ends with what the service says of that model', async () => {
  const at = await scene();
  const { code, stdout, stderr } = await at.svc('generate vendor/canvas --help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: svc generate \[options\] <model> \[prompt\.\.\.\]\n/);
  expect(stdout.slice(stdout.indexOf('Model  '))).toBe(
    [
      'Model  vendor/canvas',
      'Type   image',
      'Try    svc generate vendor/canvas "a lighthouse"',
      '',
      'Options (--opt NAME=VALUE):',
      'OPTION         VALUES                                   DESCRIPTION',
      'size           1:1, 16:9 or 9:16 (default: 1:1)         Width to height',
      'n              a whole number from 1 to 4 (default: 1)',
      'seed           a whole number of at least 0',
      'sharp          true or false',
      'style          text of at most 40 characters',
      'tags           a list of texts',
      'extra          a JSON object',
      'image_url      text',
      'image_file_id  text',
      'image_base64   text',
      'A prompt is required.',
      '',
    ].join('\n'),
  );
});

it('svc generate MODEL --help is general help, and a note, where the service cannot be asked', async () => {
  const result = await run('generate vendor/canvas --help');
  expect(result.code).toBe(0);
  expect(result.stdout).toMatch(/^Usage: svc generate /);
  expect(result.stderr).toBe(
    'the options of vendor/canvas are unknown: no base URL is known; --local shows those of the local models\n',
  );
});

it('svc generate MODEL --help says what may have been meant', async () => {
  const at = await scene();
  const { stdout } = await at.svc('generate vendor/canvs --help');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    'The service has no media model vendor/canvs. Did you mean vendor/canvas?',
  );
});

it('svc generate MODEL --help shows availability, variants and each operation, for people in a pipe too', async () => {
  const edit = { opts: { required: ['mask'], properties: { mask: {} } } };
  const entry = {
    id: 'v/m',
    title: 'M',
    availability: 'limited',
    price: { status: 'exact', axes: ['size', 'n'], fromRub: 3 },
    providerVariants: [{ id: 'v/m:b', availability: 'available' }],
    operations: [
      { name: 'text', requestJsonSchema: schema },
      { name: 'edit', requestJsonSchema: { properties: edit } },
      { name: 'other', requestJsonSchema: {} },
    ],
  };
  const { env } = await fakeService(json({ models: [entry] }));
  const { stdout } = await run('generate v/m --help', { env });
  const ofModel = stdout.slice(stdout.indexOf('Model  ')).split('\n');
  expect(ofModel).toContain('About         M');
  expect(ofModel).toContain('Availability  limited');
  expect(ofModel).toContain('Price         from 3.00 RUB, depends on size, n');
  expect(ofModel).toContain('Options to text (--opt NAME=VALUE):');
  expect(ofModel.join('\n')).toContain(
    [
      'Options to edit (--opt NAME=VALUE):',
      'OPTION  VALUES',
      'mask    anything (required)',
      'The prompt is optional.',
      '',
      'Options to other: none',
      'The prompt is optional.',
      '',
      'VARIANT  AVAILABILITY',
      'v/m:b    available',
    ].join('\n'),
  );
});

const models = [
  { id: 'vendor/canvas', aliases: ['painter'] },
  { model: 'other/reel:x' },
  { name: 'solo', providerAliases: ['pixel-solo'] },
];
it.each([
  ['vendor/canvas', 'vendor/canvas'],
  ['vendor/canvas:economy', 'vendor/canvas'],
  ['canvas', 'vendor/canvas'],
  ['painter', 'vendor/canvas'],
  ['other/reel:x', 'other/reel:x'],
  ['pixel-solo', 'solo'],
  ['nobody/canvas', undefined],
])('a model %s is found as %s', (id, found) => {
  expect(capabilityOf(models, id)?.id).toBe(found);
});

it('a model is asked about once an hour, for each key', async () => {
  const at = await scene();
  const quote = 'generate vendor/canvas x --quote';
  await at.svc(quote);
  await at.svc(quote);
  expect(asked(at)).toBe(1);
  await at.svc(quote, { env: { SVC_API_KEY: 'sk-svc-another' } });
  expect(asked(at)).toBe(2);
  at.clock.pass(60 * 60_000);
  await at.svc(quote);
  expect(asked(at)).toBe(3);
  await at.svc(`${quote} --refresh`);
  expect(asked(at)).toBe(4);
});

it('a model is read from a cache that only its owner can read, and that may be broken', async () => {
  const at = await scene();
  await at.svc('generate vendor/canvas x --quote');
  const folder = join(at.home, 'cache');
  const [name = ''] = readdirSync(folder);
  expect(name).toMatch(/^capabilities-[0-9a-f]{16}\.json$/);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, name), 'utf8')).not.toContain('sk-svc');
  for (const broken of ['', '{', '[]', '{"fetchedAtMs":"x","models":[]}', '{"fetchedAtMs":1}']) {
    writeFileSync(join(folder, name), broken);
    expect(await at.svc('generate vendor/canvas x --quote')).toMatchObject({ code: 0 });
  }
  expect(asked(at)).toBe(6);
});

it('a model that is not described is sent to the service as written', async () => {
  const at = await scene();
  expect(
    await at.svc('generate vendor/canvs "" --no-wait --opt size=wide --opt n=2 --opt on=true'),
  ).toMatchObject({ code: 0, stdout: 'job_1\n', stderr: 'price: 12.50 RUB\n' });
  expect(at.submitted()).toEqual([
    {
      model: 'vendor/canvs',
      opts: { size: 'wide', n: 2, on: true },
      quote_id: 'mq_1',
      max_price_rub: 12.5,
    },
  ]);
});

it.each([404, 503])(
  'a model is sent as written, or as described before, when the list answers %i',
  async (status) => {
    const media = new FakeMedia();
    media.when('/v1/model-cap', refusal(status, 'no', 'no list'));
    const at = await scene(media);
    const unknown = await at.svc('generate vendor/canvas x --quote --opt n=9');
    expect(unknown.code).toBe(0);
    expect(unknown.stderr).toBe('the options of the model are unknown: no list\n');
    media.instead = () => undefined;
    await at.svc('generate vendor/canvas x --quote');
    media.when('/v1/model-cap', refusal(status, 'no', 'no list'));
    at.clock.pass(2 * 60 * 60_000);
    expect(await at.svc('generate vendor/canvas x --quote --opt n=9')).toMatchObject({ code: 2 });
  },
);

it('a model is not accepted when the key is wrong', async () => {
  const at = await scene();
  at.media.when('/v1/model-cap', { status: 401 });
  expect(await at.make()).toMatchObject({ code: 4, stdout: '' });
  expect(at.calls()).toEqual([]);
});

it('a dry run shows the request of the job, with words for what would be uploaded', async () => {
  const at = await scene();
  const picture = join(at.folder, 'a.png');
  writeFileSync(picture, Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1'));
  const { code, stdout, stderr } = await at.svc([
    ...['generate', 'vendor/canvas', 'x', '--dry-run', '--input', picture, '--max-cost', '20'],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    method: 'POST',
    url: `${at.origin}/api/media/generate`,
    headers: { authorization: 'Bearer [key]', 'idempotency-key': expect.any(String) },
    body: {
      model: 'vendor/canvas',
      opts: { image_file_id: '(the id of a.png)' },
      max_price_rub: 20,
    },
  });
  expect(at.requests).toEqual([]);
  expect(at.ledger()).toEqual([]);
});

it('a dry run shows the price that would be asked for with --quote', async () => {
  const at = await scene();
  expect(await jsonOf(at.svc('generate vendor/canvas x --quote --dry-run'))).toMatchObject({
    url: `${at.origin}/api/media/price`,
    body: { model: 'vendor/canvas', prompt: 'x' },
  });
  expect(at.requests).toEqual([]);
});
