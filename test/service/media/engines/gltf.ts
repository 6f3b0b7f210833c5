/** Opens GLB files with the validator of the format's own makers. */
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import * as z from 'zod/mini';

const Report = z.looseObject({
  mimeType: z.string(),
  issues: z.looseObject({ messages: z.array(z.unknown()) }),
  info: z.looseObject({
    version: z.string(),
    totalTriangleCount: z.number(),
    totalVertexCount: z.number(),
  }),
});

type Validate = (bytes: Uint8Array, options: { maxIssues: number }) => Promise<unknown>;

const require = createRequire(import.meta.url);
// The package has no types of its own.
const { validateBytes }: { validateBytes: Validate } = require('gltf-validator');

/** What the file holds; fails when the validator has anything to say against it. */
export async function validateGlb(file: Buffer) {
  const report = await validateBytes(Uint8Array.from(file), { maxIssues: 20 });
  const { mimeType, issues, info } = Report.parse(report);
  expect(issues.messages).toEqual([]);
  expect(mimeType).toBe('model/gltf-binary');
  return info;
}
