/** local/mesh: solid things turned on a lathe, as binary glTF 2.0. */
import { Readable } from 'node:stream';
import { defineModel, priceOf, randomFrom, seedOption, wordOption } from './define.js';

const details = ['low', 'medium', 'high'] as const;
const rubPerModel = { low: 3, medium: 6, high: 12 } as const;
/** Flat sides of the round, and bands from the foot to the top. */
const fineness = {
  low: { around: 24, bands: 20 },
  medium: { around: 64, bands: 50 },
  high: { around: 160, bands: 120 },
} as const;
type Fineness = (typeof fineness)[(typeof details)[number]];

export const mesh = defineModel({
  id: 'local/mesh',
  kind: '3d',
  title: 'Mesh',
  summary: 'Turns a colored piece on a lathe, from the words of a prompt, as GLB',
  prompt: 'required',
  opts: {
    detail: wordOption(details, 'medium', 'How many triangles; sets the price'),
    ...seedOption,
  },
  fromRub: rubPerModel.low,
  priceAxes: ['detail'],
  defaultTookMs: 8000,
  price: ({ opts }) => priceOf({ perModelRub: rubPerModel[opts.detail] }),
  make: ({ prompt, opts }, input) => {
    const seed = opts.seed ?? input.seed;
    const solid = turned(prompt, seed, fineness[opts.detail]);
    const bytes = () => Readable.from([glbOf(solid, prompt)], { objectMode: false });
    const triangles = solid.triangles.length / 3;
    const files = [{ mediaType: 'model/gltf-binary', ext: 'glb', bytes }];
    return { files, resultMeta: { triangles, seed } };
  },
});

interface Solid {
  /** Three numbers a corner. */
  readonly positions: Float32Array;
  /** Red, green and blue, 0 to 1. */
  readonly color: readonly number[];
  /** Three corners a triangle, counter-clockwise from outside. */
  readonly triangles: Uint32Array;
}

/** Rings from the foot up to the top, one unit high, in a radius of a few waves on each other. */
function turned(prompt: string, seed: number, { around, bands }: Fineness): Solid {
  const random = randomFrom('mesh', prompt, seed);
  const waves = [1, 2, 3].map((turns) => ({ turns, swing: 0.06 * random(), phase: 7 * random() }));
  const color = [0, 1, 2].map(() => 0.2 + 0.7 * random());
  const [positions, triangles]: [number[], number[]] = [[], []];
  // The first and the last ring are points on the axis.
  for (let ring = 0; ring <= bands + 2; ring++) {
    const height = Math.min(1, Math.max(0, (ring - 1) / bands));
    const swings = waves.map(
      ({ turns, swing, phase }) => swing * Math.sin(7 * turns * height + phase),
    );
    const isPoint = ring === 0 || ring === bands + 2;
    const radius = isPoint ? 0 : swings.reduce((sum, swing) => sum + swing, 0.22);
    for (let side = 0; side < around; side++) {
      const angle = (side / around) * 2 * Math.PI;
      positions.push(Math.cos(angle) * radius, height, Math.sin(angle) * radius);
      const here = ring * around + side;
      const next = ring * around + ((side + 1) % around);
      // At a point two corners are one: there the square is a triangle.
      if (ring > 1) triangles.push(here - around, here, next - around);
      if (ring > 0 && ring < bands + 2) triangles.push(here, next, next - around);
    }
  }
  return {
    color,
    positions: Float32Array.from(positions),
    triangles: Uint32Array.from(triangles),
  };
}

/** The bytes of a GLB file with one solid. Numbers stand as the machine has them: low byte first. */
function glbOf({ color, positions, triangles }: Solid, prompt: string): Uint8Array {
  const [float, unsignedInt, vertices, elements] = [5126, 5125, 34_962, 34_963];
  const parts = [positions, triangles].map(({ buffer }) => Buffer.from(buffer));
  const data = Buffer.concat(parts);
  let byteOffset = 0;
  const bufferViews = parts.map(({ byteLength }, index) => {
    const target = index === 1 ? elements : vertices;
    const view = { buffer: 0, byteOffset, byteLength, target };
    byteOffset += byteLength;
    return view;
  });
  const count = positions.length / 3;
  const coordinates = [0, 1, 2].map((axis) => positions.filter((_, index) => index % 3 === axis));
  const min = coordinates.map((values) => values.reduce((a, b) => Math.min(a, b)));
  const max = coordinates.map((values) => values.reduce((a, b) => Math.max(a, b)));
  const pbrMetallicRoughness = { baseColorFactor: [...color, 1], metallicFactor: 0 };
  const document = {
    // Half an emoji has no place in UTF-8.
    asset: {
      version: '2.0',
      generator: 'svc local/mesh',
      extras: { prompt: Buffer.from(prompt, 'utf8').toString('utf8') },
    },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }],
    materials: [{ pbrMetallicRoughness }],
    accessors: [
      { bufferView: 0, componentType: float, count, type: 'VEC3', min, max },
      { bufferView: 1, componentType: unsignedInt, count: triangles.length, type: 'SCALAR' },
    ],
    bufferViews,
    buffers: [{ byteLength: data.length }],
  };
  const chunks = Buffer.concat([
    chunk('JSON', Buffer.from(JSON.stringify(document), 'utf8'), 0x20),
    chunk('BIN\0', data, 0),
  ]);
  const head = Buffer.alloc(12);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + chunks.length, 8);
  return Buffer.concat([head, chunks]);
}

/** A chunk is filled up to a multiple of four bytes, and its length counts the filling. */
function chunk(type: string, data: Uint8Array, filling: number): Uint8Array {
  const length = Math.ceil(data.length / 4) * 4;
  const bytes = Buffer.alloc(8 + length, filling);
  bytes.writeUInt32LE(length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  return bytes;
}
