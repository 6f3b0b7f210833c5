import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { mediaKinds } from '../../../../src/contract/enums.js';
import { MediaRequest } from '../../../../src/contract/media.js';
import { recordOf } from '../../../../src/lib/json.js';
import { models } from '../../../../src/service/media/engines/models.js';
import { wholeKopecks, type ModelRequest } from '../../../../src/service/media/engines/model.js';
import { jobOf, makeOne, modelOf } from './make.js';

const image = { image_url: 'https://example.com/x.png' };
const audio = { audio_file_id: 'file_1' };

/** The least that each model asks for. */
const least: Readonly<Record<string, ModelRequest>> = {
  'local/canvas': { prompt: 'x' },
  'local/reel': { prompt: 'x' },
  'local/tune': { prompt: 'x' },
  'local/voice': { prompt: 'x' },
  'local/transcribe': { opts: audio },
  'local/mesh': { prompt: 'x' },
  'local/upscale': { opts: image },
  'local/lipsync': { opts: { ...image, ...audio } },
};

it('the models are these, of every kind that the service makes', () => {
  expect(models.map(({ id }) => id).sort()).toEqual(Object.keys(least).sort());
  expect(new Set(models.map(({ kind }) => kind))).toEqual(new Set(mediaKinds));
});

describe('what is made', () => {
  it.each([
    ['local/canvas', { quality: 'draft', aspect_ratio: '4:3' }],
    ['local/reel', { seconds: 1, resolution: '480p', aspect_ratio: '1:1' }],
    ['local/tune', { seconds: 1 }],
    ['local/mesh', { detail: 'low' }],
  ])('by %s is the same for the same prompt, options and seed alone', async (id, opts) => {
    const made = async (prompt: string, seed: number, own = {}) =>
      (await makeOne(id, { prompt, opts: { ...opts, ...own } }, seed)).toString('latin1');
    const first = await made('sea', 1);
    expect((await made('sea', 1)) === first).toBe(true);
    // The seed of the options goes before that of the service.
    expect((await made('sea', 2, { seed: 1 })) === first).toBe(true);
    expect((await made('sea', 2)) === first).toBe(false);
    expect((await made('lake', 1)) === first).toBe(false);
  });
});

const prices: readonly (readonly [id: string, order: ModelRequest, priceRub: number])[] = [
  ['local/canvas', { prompt: 'x' }, 2.4],
  ['local/canvas', { prompt: 'x', opts: { quality: 'draft' } }, 0.6],
  ['local/canvas', { prompt: 'x', opts: { quality: 'high', n: 4 } }, 28.8],
  ['local/canvas', { prompt: 'x', opts: { size: '1792x1024' } }, 3.6],
  ['local/canvas', { prompt: 'x', opts: { aspect_ratio: '16:9' } }, 2.4],
  ['local/reel', { prompt: 'x' }, 12],
  ['local/reel', { prompt: 'x', opts: { resolution: '1080p', seconds: 60 } }, 288],
  ['local/reel', { prompt: 'x', opts: { resolution: '480p', seconds: 3.333 } }, 4],
  ['local/tune', { prompt: 'x' }, 3],
  ['local/tune', { prompt: 'x', opts: { seconds: 1.01 } }, 0.21],
  ['local/voice', { prompt: 'x' }, 0.01],
  // An emoji is one character.
  ['local/voice', { prompt: '🦑'.repeat(1000) }, 8],
  ['local/voice', { prompt: 'x'.repeat(1001) }, 8.01],
  ['local/mesh', { prompt: 'x' }, 6],
  ['local/mesh', { prompt: 'x', opts: { detail: 'high' } }, 12],
];

it.each([
  // 110.00000000000001 kopecks in binary fractions.
  [1.1, 1.1],
  [0.0001, 0.01],
  [2.341, 2.35],
  [0, 0],
])('the price of %d RUB comes out as %d', (rub, kopecks) => {
  expect(wholeKopecks(rub)).toBe(kopecks);
});

it.each(prices)('the price of %s for %o is %d RUB', (id, order, priceRub) => {
  expect(jobOf(id, order).price({})).toMatchObject({ priceRub, isEstimate: false });
});

it('the price is broken down into what was multiplied', () => {
  const { price } = jobOf('local/canvas', { prompt: 'x', opts: { size: '1792x1024', n: 3 } });
  expect(price({}).breakdown).toEqual({ perImageRub: 2.4, sizeFactor: 1.5, images: 3 });
});

const wrong: readonly (readonly [id: string, order: ModelRequest, field: string])[] = [
  ['local/canvas', {}, 'prompt'],
  ['local/canvas', { prompt: 'x'.repeat(10_001) }, 'prompt'],
  ['local/canvas', { prompt: 'x', opts: { n: 0 } }, 'opts.n'],
  ['local/canvas', { prompt: 'x', opts: { size: '640x480' } }, 'opts.size'],
  ['local/canvas', { prompt: 'x', opts: { seed: 2 ** 32 } }, 'opts.seed'],
  ['local/canvas', { prompt: 'x', opts: { size: 'auto', aspect_ratio: '1:1' } }, 'opts'],
  ['local/reel', { prompt: 'x', opts: { seconds: 60.1 } }, 'opts.seconds'],
  ['local/voice', { prompt: 'x', opts: { voice: 'nobody' } }, 'opts.voice'],
  ['local/transcribe', {}, 'opts'],
  ['local/upscale', { opts: { factor: 2 } }, 'opts'],
  ['local/upscale', { opts: { image_url: 'ftp://example.com/x.png' } }, 'opts.image_url'],
  ['local/lipsync', { opts: audio }, 'opts'],
];

it.each(wrong)('a request that does not fit is refused by %s: %o', (id, order, field) => {
  const { job, violations } = modelOf(id).check(order);
  expect(job).toBeUndefined();
  expect(violations.map((violation) => violation.field)).toContain(field);
  for (const { message, ignorable } of violations) {
    expect(message).toMatch(/^(prompt|opts)/);
    expect(ignorable).toBe(false);
  }
});

it('a request that does not fit lists everything that is wrong, with the allowed values', () => {
  const opts = { quality: 'hd', n: 9, shade: 'blue' };
  expect(modelOf('local/canvas').check({ prompt: '', opts }).violations).toEqual([
    { field: 'prompt', message: 'prompt must be 1 to 10000 characters long', ignorable: false },
    {
      field: 'opts.quality',
      message: 'opts.quality must be draft, standard or high',
      allowed: ['draft', 'standard', 'high'],
      ignorable: false,
    },
    { field: 'opts.n', message: 'opts.n must be at most 4', ignorable: false },
    {
      field: 'opts.shade',
      message: 'opts.shade is not an option of local/canvas',
      ignorable: true,
    },
  ]);
});

it('a request that does not fit runs without the options that the model does not know, when nothing else is wrong', () => {
  const { job, violations } = modelOf('local/canvas').check({
    prompt: 'x',
    opts: { shade: 'blue', n: 2, ['y'.repeat(999)]: 1 },
  });
  expect(violations.map(({ ignorable }) => ignorable)).toEqual([true, true]);
  expect(violations.every(({ message }) => message.length < 200)).toBe(true);
  expect(job?.effectiveOpts).toEqual({ n: 2, quality: 'standard' });
});

it('a request that does not fit names its sources apart from its options', () => {
  const data = 'data:image/png;base64,AAAA';
  const job = jobOf('local/lipsync', {
    opts: { image_base64: data, audio_url: 'https://x/y.wav' },
  });
  expect(job.effectiveOpts).toEqual({ resolution: '480p' });
  expect(job.references).toEqual([
    { kind: 'audio', form: 'url', field: 'opts.audio_url', value: 'https://x/y.wav' },
    { kind: 'image', form: 'base64', field: 'opts.image_base64', value: data },
  ]);
});

describe('the JSON schema', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  ajv.addFormat('uri', (text) => /^[a-z]+:\/\//.test(text));

  it.each(models.map(({ id }) => id))(
    'of %s takes the names of its model, and describes every field and option',
    (id) => {
      const { requestJsonSchema } = modelOf(id);
      expect(requestJsonSchema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
      const fits = ajv.compile(requestJsonSchema);
      const short = id.replace('local/', '');
      for (const model of [id, short, `${id}:standard`, `${short}:failing`]) {
        expect([model, fits({ model, ...least[id] })]).toEqual([model, true]);
      }
      expect(fits({ model: 'local/other', ...least[id] })).toBe(false);
      expect(fits({ model: id, ...least[id], size: '1' })).toBe(false);
      const properties = recordOf(requestJsonSchema['properties']);
      expect(Object.keys(properties).sort()).toEqual(Object.keys(MediaRequest.shape).sort());
      expect(recordOf(properties['opts'])['additionalProperties']).toBe(false);
      for (const [name, option] of Object.entries(optionsOf(id))) {
        const { description } = recordOf(option);
        expect([name, description]).toEqual([name, expect.stringMatching(/.../)]);
      }
    },
  );

  it('says the same as the model itself', () => {
    const fits = (id: string, order: ModelRequest) =>
      ajv.compile(modelOf(id).requestJsonSchema)({ model: id, ...order });
    for (const [id, order] of prices) expect([id, order, fits(id, order)]).toContain(true);
    // The schema knows a URI, and not that it must be one of http.
    for (const [id, order, field] of wrong) {
      expect([id, order, fits(id, order)]).toContain(field === 'opts.image_url');
    }
  });

  it('contains the defaults that a job runs with', () => {
    for (const { id } of models) {
      const defaults = Object.entries(optionsOf(id)).flatMap(([name, option]) => {
        const value = recordOf(option)['default'];
        return value === undefined ? [] : [[name, value] as const];
      });
      const { job } = modelOf(id).check(least[id] ?? {});
      expect([id, job?.effectiveOpts]).toEqual([id, Object.fromEntries(defaults)]);
    }
  });
});

function optionsOf(id: string) {
  const { opts } = recordOf(modelOf(id).requestJsonSchema['properties']);
  return recordOf(recordOf(opts)['properties']);
}
