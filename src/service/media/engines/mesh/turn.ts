/** Makes the solids of local/mesh. */
import { Readable } from 'node:stream';
import type { Ordered } from '../define.js';
import type { MakeInput, MediaResult } from '../types.js';
import { encodeGlb } from './glb.js';
import { turnOutline } from './lathe.js';
import type { Detail, MeshOpts } from './mesh.js';
import { profileOf } from './profile.js';

/** Flat sides of the round, and pieces of each curve of the outline. */
const fineness: Readonly<Record<Detail, { readonly around: number; readonly steps: number }>> = {
  low: { around: 24, steps: 4 },
  medium: { around: 64, steps: 10 },
  high: { around: 160, steps: 24 },
};

export function turn({ prompt, opts }: Ordered<MeshOpts>, input: MakeInput): Promise<MediaResult> {
  const seed = opts.seed ?? input.seed;
  const { around, steps } = fineness[opts.detail];
  const solid = turnOutline(profileOf(prompt, seed, steps), around);
  const file = {
    mediaType: 'model/gltf-binary',
    ext: 'glb',
    bytes: () => Readable.from([encodeGlb(solid, prompt, 'svc local/mesh')], { objectMode: false }),
  };
  const triangles = solid.triangles.length / 3;
  return Promise.resolve({ files: [file], resultMeta: { triangles, seed } });
}
