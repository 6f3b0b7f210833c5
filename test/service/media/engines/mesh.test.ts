import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { make, makeOne, oddPrompts } from './make.js';

const Report = z.looseObject({
  mimeType: z.literal('model/gltf-binary'),
  issues: z.looseObject({ messages: z.array(z.unknown()).check(z.maxLength(0)) }),
  info: z.looseObject({ version: z.string(), totalTriangleCount: z.number() }),
});

type Validate = (bytes: Uint8Array, options: { maxIssues: number }) => Promise<unknown>;

const require = createRequire(import.meta.url);
// The package has no types of its own.
const { validateBytes }: { validateBytes: Validate } = require('gltf-validator');

/** What the file holds; the validator of the format's own makers has nothing to say against it. */
async function validateGlb(file: Buffer) {
  return Report.parse(await validateBytes(Uint8Array.from(file), { maxIssues: 20 })).info;
}

/** The JSON part of a GLB file. */
function documentOf(file: Buffer): Record<string, unknown> {
  const document: Record<string, unknown> = JSON.parse(
    file.toString('utf8', 20, 20 + file.readUInt32LE(12)),
  );
  return document;
}

it('local/mesh turns its prompt into a valid GLB file', async () => {
  const { files, meta } = await make('local/mesh', { prompt: 'a vase' }, 4);
  const info = await validateGlb(files[0] ?? Buffer.alloc(0));
  expect(info).toMatchObject({ version: '2.0', materialCount: 1, drawCallCount: 1 });
  expect(info.totalTriangleCount).toBe(meta['triangles']);
  expect(info.totalTriangleCount).toBeGreaterThan(500);
});

it('local/mesh has more triangles where more is paid', async () => {
  const counts = ['low', 'medium', 'high'].map(async (detail) => {
    const { meta } = await make('local/mesh', { prompt: 'a vase', opts: { detail } });
    return Number(meta['triangles']);
  });
  const [low = 0, medium = 0, high = 0] = await Promise.all(counts);
  expect(medium).toBeGreaterThan(low * 2);
  expect(high).toBeGreaterThan(medium * 2);
});

it.each(oddPrompts)('local/mesh takes a prompt of %s and notes it', async (_, prompt) => {
  const file = await makeOne('local/mesh', { prompt, opts: { detail: 'low' } });
  await validateGlb(file);
  expect(documentOf(file)['asset']).toEqual({
    version: '2.0',
    generator: 'svc local/mesh',
    extras: { prompt: Buffer.from(prompt).toString() },
  });
});
