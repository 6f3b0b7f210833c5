import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { png } from '../../helpers/fake-media.js';
import { scene } from './scene.js';

const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;
const glb = Buffer.concat([Buffer.from('glTF\x02\0\0\0'), Buffer.alloc(40, 1)]);
const wav = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt '), Buffer.alloc(40, 1)]);

it('svc generate gets a quote, starts the job, waits and fetches the result', async () => {
  const at = await scene();
  at.media.states = [{ status: 'processing' }, { status: 'processing' }, { status: 'success' }];
  const result = await at.make('a lighthouse --opt n=1');
  const path = join(at.folder, 'vendor-canvas-job_1.png');
  expect(result).toMatchObject({
    code: 0,
    stdout: `${path}\n`,
    stderr: 'price: 12.50 RUB\njob job_1 accepted, 12.50 RUB\n',
  });
  expect(readFileSync(path)).toEqual(png);
  expect(at.calls()).toEqual([
    'POST /api/media/price',
    'POST /api/media/generate',
    'GET /api/media/jobs/job_1',
    'GET /api/media/jobs/job_1',
    'GET /api/media/jobs/job_1',
    'GET /api/media/file/job_1/0?sig=s0',
  ]);
  // The link carries its own signature.
  expect(at.requests.at(-1)?.headers).not.toHaveProperty('authorization');
  expect(at.submitted()).toEqual([
    {
      model: 'vendor/canvas',
      prompt: 'a lighthouse',
      opts: { n: 1 },
      quote_id: 'mq_1',
      max_price_rub: 12.5,
    },
  ]);
});

it('svc generate shows a user the path, the cost, the time and the balance', async () => {
  const at = await scene();
  at.media.states = [{ status: 'processing' }, { status: 'success' }];
  const { code, stdout, stderr } = await at.make('x', {
    tty: { stdout: true, stderr: true },
    colour: true,
  });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `${join(at.folder, 'vendor-canvas-job_1.png')}\n`,
  });
  expect(stderr.startsWith('price: 12.50 RUB\n')).toBe(true);
  expect(stderr.endsWith(`${dim('12.50 RUB · 1 s · balance 987.50 RUB')}\n`)).toBe(true);
  // The spinner says what is awaited, and where.
  expect(stderr).toContain('running · 0 s · 12.50 RUB · job_1');
});

it('svc generate gives a program one object on stdout, and nothing on stderr', async () => {
  const at = await scene();
  at.media.states = [
    {
      status: 'success',
      provider: 'canvas',
      resultText: 'seen',
      resultMeta: { width: 8 },
      priceRub: 12.4,
    },
  ];
  const { code, stdout, stderr } = await at.make('x --json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    id: 'job_1',
    state: 'done',
    status: 'success',
    model: 'vendor/canvas',
    requestedModel: 'vendor/canvas',
    provider: 'canvas',
    effectiveModel: 'vendor/canvas',
    addressAs: 'vendor/canvas:a',
    providerAlias: 'canvas',
    results: 1,
    resultsExpireAt: '2999-01-01T00:00:00.000Z',
    resultText: 'seen',
    resultMeta: { width: 8 },
    files: [
      {
        index: 0,
        path: join(at.folder, 'vendor-canvas-job_1.png'),
        bytes: png.length,
        mediaType: 'image/png',
      },
    ],
    cost: { priceRub: 12.4, balanceRub: 987.5 },
    ids: {},
  });
});

it('svc generate prints the id alone with --no-wait, or the object', async () => {
  const at = await scene();
  const result = await at.svc('generate vendor/canvas x --no-wait -q');
  expect(result).toMatchObject({ code: 0, stdout: 'job_1\n', stderr: '' });
  const { stdout, stderr } = await at.svc('generate vendor/canvas x --no-wait --json');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    id: 'job_2',
    state: 'running',
    status: 'processing',
    model: 'vendor/canvas',
    requestedModel: 'vendor/canvas',
    provider: 'canvas',
    effectiveModel: 'vendor/canvas',
    addressAs: 'vendor/canvas:a',
    providerAlias: 'canvas',
    cost: { priceRub: 12.5 },
    ids: {},
  });
  expect(at.calls().filter((call) => call.includes('/jobs/'))).toEqual([]);
});

it('svc generate shows the text of a result before the path, and its facts beside it', async () => {
  const at = await scene();
  at.media.states = [
    { status: 'success', resultText: 'a \u001b[2Jtext', resultMeta: { width: 8, a: { b: 1 } } },
  ];
  const path = join(at.folder, 'vendor-canvas-job_1.png');
  expect(await at.make()).toMatchObject({
    stdout: `a \u001b[2Jtext\n${path}\n`,
    stderr: 'price: 12.50 RUB\njob job_1 accepted, 12.50 RUB\nwidth: 8\na: {"b":1}\n',
  });
  const { stdout, stderr } = await at.make('y', { tty: true });
  expect(stderr).toContain('width 8 · a {"b":1}\n12.50 RUB · ');
  expect(stdout).toBe(`a ␛[2Jtext\n${join(at.folder, 'vendor-canvas-job_2.png')}\n`);
  // The text may be all there is.
  at.media.results = [];
  at.media.states = [{ status: 'success', resultText: 'words\n' }];
  expect(await at.make('z')).toMatchObject({ code: 0, stdout: 'words\n' });
});

it('svc generate takes piped text alone, and before the prompt for a -', async () => {
  const at = await scene();
  await at.make('"in oil"', { stdin: 'of a loop\n' });
  await at.make('"in ink" -', { stdin: 'a lighthouse\n' });
  await at.make([], { stdin: 'a storm\n\n' });
  expect(at.submitted().map(({ prompt }) => prompt)).toEqual([
    'in oil',
    'a lighthouse\n\nin ink',
    'a storm',
  ]);
});

it.each([
  ['a picture', png, 'could not show the file'],
  ['a program', Buffer.from('MZ\u0090\0 a program', 'latin1'), 'it was not opened'],
])('--open shows what is media: %s', async (_, content, words) => {
  const at = await scene();
  at.media.results = [content];
  // There is no viewer on this path.
  expect(await at.make('x --open', { env: { PATH: at.home } })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(words),
  });
});

it('the files of a result are fetched together and named by their content and number', async () => {
  const at = await scene();
  at.media.results = [png, glb, wav];
  const files = {
    'vendor-canvas-job_1-0.png': png,
    'vendor-canvas-job_1-1.glb': glb,
    'vendor-canvas-job_1-2.wav': wav,
  };
  const stdout = Object.keys(files).map((name) => `${join(at.folder, name)}\n`);
  expect(await at.make()).toMatchObject({ code: 0, stdout: stdout.join('') });
  expect(at.files()).toEqual(files);
});

it.each([
  ['{job}.{ext}', ['job_1-0.png', 'job_1-1.glb']],
  ['{index}-{model}-{job}.{ext}', ['0-vendor-canvas-job_1.png', '1-vendor-canvas-job_1.glb']],
  ['{model}.x', ['vendor-canvas-0.x', 'vendor-canvas-1.x']],
  ['out.png', ['out-2.png', 'out.png']],
  ['out', ['out', 'out-2.glb']],
])('the files of a result follow -o %s', async (pattern, names) => {
  const at = await scene();
  at.media.results = [png, glb];
  const output = join(at.folder, pattern);
  expect((await at.svc(['generate', 'vendor/canvas', 'x', '-o', output])).code).toBe(0);
  expect(Object.keys(at.files())).toEqual(names);
});

it('the files of a result keep the requested name, with a warning when its extension differs', async () => {
  const at = await scene();
  const output = join(at.folder, 'a.jpg');
  expect(await at.svc(['generate', 'vendor/canvas', 'x', '-q', '-o', output])).toMatchObject({
    code: 0,
    stdout: `${output}\n`,
    stderr: `warning: ${output} contains image/png, whose usual extension is .png\n`,
  });
});

it('the files of a result go to a pipe one at a time: the rest is listed, and can be downloaded', async () => {
  const at = await scene();
  at.media.results = [png, glb];
  const result = await at.svc('generate vendor/canvas x -q -o -');
  expect(result.code).toBe(12);
  expect(result.stdoutBytes).toEqual(png);
  expect(result.stderr).toBe(
    'error: job_1 has 2 results; only the first was written to stdout\n' +
      'hint: download them all: `svc jobs download job_1 -o DIR/`\n',
  );
});

it('the files of a result are never written to a terminal as bytes', async () => {
  const at = await scene();
  const result = await at.svc('generate vendor/canvas x -o -', { tty: { stdout: true } });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain('error: -o - would write binary data to the terminal\n');
  expect(at.requests).toEqual([]);
});

it('the files of a result appear in a terminal that can show them, before their path', async () => {
  const at = await scene();
  const env = { TERM_PROGRAM: 'iTerm.app' };
  const { stdout } = await at.make('x', { tty: { stdout: true }, env });
  const picture = `\u001b]1337;File=inline=1;height=16;size=${png.length}:${png.toString('base64')}\u0007`;
  expect(stdout).toBe(`${picture}\n${join(at.folder, 'vendor-canvas-job_1.png')}\n`);
});
