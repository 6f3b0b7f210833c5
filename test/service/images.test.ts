import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { ImageList, ImageReply } from '../../src/contract/images.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { ask, get, keys, openService, read } from './helpers.js';
import {
  balanceOf,
  canvasRub,
  errorOf,
  expectBalanced,
  follow,
  generate,
  historyOf,
  jobOf,
  lighthouse,
  open,
  send,
  type Opened,
  type Sent,
} from './media/helpers.js';

const path = '/v1/images/generations';
const jobHeader = 'x-svc-media-job-id';

function create(opened: Opened, body: unknown, sent?: Sent): Promise<Response> {
  return send(opened, path, body, sent);
}

async function imageOf(opened: Opened, body: unknown) {
  const response = await create(opened, body);
  return { response, reply: await read(response, ImageReply) };
}

function listOf({ service }: Opened, query = '', key?: string) {
  return read(get(service, path + query, key), ImageList);
}

describe('POST /v1/images/generations', () => {
  it('answers with a link when the image is made, and names the job', async () => {
    const opened = open();
    const begun = opened.clock.now();
    const { response, reply } = await imageOf(opened, lighthouse);
    expect(opened.clock.now() - begun).toBe(4000);
    expect(response.headers.get(jobHeader)).toMatch(/^job_/);
    expect(reply).toEqual({
      created: Math.floor(begun / 1000),
      data: [{ url: expect.stringMatching(/^http:\/\/any\.example\/api\/media\/file\/job_/) }],
    });
    const picture = await follow(opened, reply.data[0]?.url ?? '');
    expect(PNG.sync.read(Buffer.from(await picture.arrayBuffer())).width).toBe(1024);
  });

  it('holds the image itself when it is asked to', async () => {
    const inAnswer = { quality: 'draft', response_format: 'b64_json' };
    const { reply } = await imageOf(open(), { ...lighthouse, ...inAnswer });
    expect(reply.data).toEqual([{ b64_json: expect.any(String) }]);
    const bytes = Buffer.from(reply.data[0]?.b64_json ?? '', 'base64');
    // Its height, and its end.
    expect(bytes.readUInt32BE(20)).toBe(1024);
    expect(bytes.toString('latin1', bytes.length - 8, bytes.length - 4)).toBe('IEND');
  });

  it('prices the quality, and leaves it to the model with auto', async () => {
    const opened = open();
    await imageOf(opened, { ...lighthouse, quality: 'draft' });
    expect(await balanceOf(opened)).toBe(999.4);
    await imageOf(opened, { ...lighthouse, quality: 'auto' });
    expect(await balanceOf(opened)).toBe(997);
  });

  it.each([
    ['an unknown parameter', { style: 'oil' }, 400, 'unknown_parameter', 'style'],
    ['a quality it has not', { quality: 'hd' }, 400, 'unsupported_quality', 'quality'],
    ['an unknown model', { model: 'nope' }, 404, 'model_not_found', 'model'],
    ['a model of music', { model: 'local/tune' }, 400, 'model_not_image', 'model'],
  ])('refuses %s, and starts nothing', async (_, other, status, code, param) => {
    const opened = open();
    const error = await errorOf(await create(opened, { ...lighthouse, ...other }));
    expect(error).toMatchObject({ status, code, param });
    expect(await listOf(opened)).toEqual({ object: 'list', data: [] });
  });
});

it.each(['failing', 'refusing'])(
  'an image that fails on the channel %s is a 502 that names its job, and costs nothing',
  async (channel) => {
    const opened = open();
    const response = await create(opened, { ...lighthouse, model: `canvas:${channel}` });
    const id = response.headers.get(jobHeader) ?? '';
    const error = await errorOf(response);
    expect(error).toMatchObject({ status: 502, code: 'provider_failed', job_id: id });
    expect(await balanceOf(opened)).toBe(1000);
    expect(await historyOf(opened)).toEqual([]);
    expect((await listOf(opened)).data).toMatchObject([
      { id, status: 'failed', cost_rub: 0, data: [] },
    ]);
  },
);

it('an image that fails is one that the balance can no longer pay when it is done', async () => {
  const opened = open({ openingBalanceRub: 3, imageDeadlineMs: 1000 });
  const response = await create(opened, lighthouse);
  expect(response.status).toBe(504);
  expect((await generate(opened, lighthouse)).status).toBe(202);
  opened.clock.set(opened.clock.now() + 5000);
  expect((await listOf(opened)).data).toMatchObject([{ status: 'failed', cost_rub: 0 }]);
  expect(await expectBalanced(opened, 3)).toBeCloseTo(canvasRub, 6);
});

it('two images on a balance for one are one image, and one refusal that says once that nothing was charged', async () => {
  const opened = open({ openingBalanceRub: 3 });
  const both = await Promise.all([create(opened, lighthouse), create(opened, lighthouse)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 402]);
  const [refused = Response.error()] = both.filter(({ status }) => status === 402);
  expect(await errorOf(refused)).toMatchObject({
    code: 'insufficient_balance',
    message: 'the balance was too low when the image was finished; nothing was charged',
  });
  expect(await expectBalanced(opened, 3)).toBeCloseTo(canvasRub, 6);
});

it('an image that takes too long is a 504 that names its job in body and header, and is found in the list', async () => {
  const opened = open({ jobTimeMs: 10_000, imageDeadlineMs: 3000 });
  const begun = opened.clock.now();
  const response = await create(opened, lighthouse);
  expect(opened.clock.now() - begun).toBe(3000);
  const id = response.headers.get(jobHeader) ?? '';
  const error = await errorOf(response);
  expect(error).toMatchObject({ status: 504, code: 'image_deadline_exceeded', job_id: id });
  expect(error.message).toContain(id);
  expect(await balanceOf(opened)).toBe(1000);
  expect((await listOf(opened)).data).toMatchObject([
    { id, model: 'local/canvas', status: 'in_progress', cost_rub: 0, data: [] },
  ]);
  expect(await jobOf(opened, id)).toMatchObject({ status: 'processing' });
  opened.clock.set(begun + 10_000);
  // It is paid for when it is done, not when someone looks.
  expect(await balanceOf(opened)).toBe(1000 - canvasRub);
  expect((await listOf(opened)).data).toMatchObject([
    { id, status: 'succeeded', cost_rub: canvasRub, data: [{ url: expect.any(String) }] },
  ]);
  expect(await jobOf(opened, id)).toMatchObject({ status: 'success', priceRub: canvasRub });
  await expectBalanced(opened);
});

it('an image that takes too long goes on when its caller hangs up', async () => {
  const clock = new ManualClock();
  const service = openService({ clock });
  const hangUp = new AbortController();
  const call = ask(service, path, { body: lighthouse, signal: hangUp.signal });
  while (clock.sleeping === 0) await new Promise(setImmediate);
  hangUp.abort();
  await call;
  clock.pass(4000);
  const { data } = await read(get(service, path), ImageList);
  expect(data).toMatchObject([{ status: 'succeeded', cost_rub: canvasRub }]);
});

it('GET /v1/images/generations lists the images of the key, newest first, as many as asked', async () => {
  const opened = open({ jobTimeMs: 0 });
  const ids: string[] = [];
  for (let i = 0; i < 25; i += 1) {
    const { response } = await imageOf(opened, { ...lighthouse, quality: 'draft' });
    ids.unshift(response.headers.get(jobHeader) ?? '');
  }
  const listed = async (query: string) => (await listOf(opened, query)).data.map(({ id }) => id);
  expect(await listed('')).toEqual(ids.slice(0, 20));
  expect(await listed('?limit=3')).toEqual(ids.slice(0, 3));
  expect(await listed('?limit=100')).toEqual(ids);
  expect((await listOf(opened, '', keys.sandbox)).data).toEqual([]);
});
