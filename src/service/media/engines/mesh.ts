/** local/mesh: solids of revolution, as binary glTF 2.0. */
import { Readable } from 'node:stream';
import { defineModel, randomFrom, seedOption, wordOption } from './define.js';
import { priceOf } from './model.js';

/** The price, the number of sides and the number of bands. */
const details = {
  low: { perModelRub: 3, around: 24, bands: 20 },
  medium: { perModelRub: 6, around: 64, bands: 50 },
  high: { perModelRub: 12, around: 160, bands: 120 },
} as const;
type Detail = (typeof details)[keyof typeof details];

export const mesh = defineModel({
  id: 'local/mesh',
  kind: '3d',
  summary: 'Makes a colored 3D shape from a prompt, as GLB',
  opts: {
    detail: wordOption(['low', 'medium', 'high'], 'medium', 'Number of triangles; sets the price'),
    ...seedOption,
  },
  fromRub: details.low.perModelRub,
  priceAxes: ['detail'],
  defaultTookMs: 8000,
  price: ({ opts: { detail } }) => priceOf({ perModelRub: details[detail].perModelRub }),
  make: ({ prompt, opts: { detail, seed = 0 } }) => {
    const random = randomFrom('mesh', prompt, seed);
    const color = [0, 1, 2].map(() => 0.2 + 0.7 * random());
    const corners = turned(random, details[detail]);
    const bytes = () => Readable.from([glbOf(corners, color, prompt)], { objectMode: false });
    const files = [{ mediaType: 'model/gltf-binary', ext: 'glb', bytes }];
    return { files, resultMeta: { triangles: corners.length / 3, seed } };
  },
});

/** The corners of the triangles, three numbers each: rings with a wavy radius, one unit high. */
function turned(random: () => number, { around, bands }: Detail): number[][] {
  const [turns, swing, phase] = [4 + 16 * random(), 0.05 + 0.1 * random(), 7 * random()];
  const corner = (ring: number, side: number) => {
    const height = ring / bands;
    const radius = 0.22 + swing * Math.sin(turns * height + phase);
    const angle = ((side % around) / around) * 2 * Math.PI;
    return [Math.cos(angle) * radius, height, Math.sin(angle) * radius];
  };
  return Array.from({ length: bands * around }, (_, index) => {
    const [ring, side] = [Math.floor(index / around), index % around];
    const [low, lowNext] = [corner(ring, side), corner(ring, side + 1)];
    const [high, highNext] = [corner(ring + 1, side), corner(ring + 1, side + 1)];
    // Counter-clockwise from outside.
    return [low, high, lowNext, lowNext, high, highNext];
  }).flat();
}

/** The bytes of a GLB file of triangles; numbers are little-endian, as in memory. */
function glbOf(corners: readonly number[][], color: readonly number[], prompt: string): Buffer {
  const [float, vertices] = [5126, 34_962];
  const points = corners.map((corner) => corner.map(Math.fround));
  const data = Buffer.from(Float32Array.from(points.flat()).buffer);
  const limits = (best: (one: number, other: number) => number) =>
    points.reduce((limit, point) => limit.map((value, axis) => best(value, point[axis] ?? 0)));
  const pbrMetallicRoughness = { baseColorFactor: [...color, 1], metallicFactor: 0 };
  const bounds = { min: limits(Math.min), max: limits(Math.max) };
  // Half an emoji has no place in UTF-8.
  const extras = { prompt: Buffer.from(prompt).toString() };
  const document = {
    asset: { version: '2.0', generator: 'svc local/mesh', extras },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness, doubleSided: true }],
    accessors: [
      { bufferView: 0, componentType: float, count: points.length, type: 'VEC3', ...bounds },
    ],
    bufferViews: [{ buffer: 0, byteLength: data.length, target: vertices }],
    buffers: [{ byteLength: data.length }],
  };
  const text = Buffer.from(JSON.stringify(document));
  // A chunk's length is a multiple of four bytes.
  const json = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const words = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const [glTF, JSON_, BIN] = [0x46546c67, 0x4e4f534a, 0x004e4942];
  const head = words(glTF, 2, 28 + json.length + data.length, json.length, JSON_);
  return Buffer.concat([head, json, words(data.length, BIN), data]);
}
