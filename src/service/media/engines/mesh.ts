/** local/mesh: solid things turned on a lathe, as binary glTF 2.0. */
import { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { defineModel, randomFrom, seedOption } from './define.js';

const rubPerModel = { low: 3, medium: 6, high: 12 } as const;
/** Flat sides of the round, and bands from the foot to the top. */
const fineness = {
  low: { around: 24, bands: 20 },
  medium: { around: 64, bands: 50 },
  high: { around: 160, bands: 120 },
} as const;

export const mesh = defineModel({
  id: 'local/mesh',
  kind: '3d',
  title: 'Mesh',
  summary: 'Turns a colored piece on a lathe, from the words of a prompt, as GLB',
  prompt: 'required',
  opts: {
    detail: z._default(
      z.enum(['low', 'medium', 'high']).check(z.describe('How many triangles; sets the price')),
      'medium',
    ),
    ...seedOption,
  },
  fromRub: rubPerModel.low,
  priceAxes: ['detail'],
  defaultTookMs: 8000,
  price: ({ opts: { detail } }) => ({
    priceRub: rubPerModel[detail],
    isEstimate: false,
    breakdown: { perModelRub: rubPerModel[detail] },
  }),
  make: ({ prompt, opts }, input) => {
    const seed = opts.seed ?? input.seed;
    const { around, bands } = fineness[opts.detail];
    const solid = turned(outlineOf(prompt, seed, bands), around);
    const bytes = () => Readable.from([glbOf(solid, prompt)], { objectMode: false });
    const triangles = solid.triangles.length / 3;
    const files = [{ mediaType: 'model/gltf-binary', ext: 'glb', bytes }];
    return { files, resultMeta: { triangles, seed } };
  },
});

/** A ring of the outline; colors are 0 to 255. */
interface Ring {
  readonly radius: number;
  readonly height: number;
  readonly color: readonly [red: number, green: number, blue: number];
}

/** From the foot up to the top, both on the axis: one unit high, a few waves on each other. */
function outlineOf(prompt: string, seed: number, bands: number): readonly Ring[] {
  const random = randomFrom('mesh', prompt, seed);
  const waves = [1, 2, 3].map((turns) => ({ turns, swing: 0.06 * random(), phase: 7 * random() }));
  const colors = [0, 1].map(
    () => [50 + 185 * random(), 50 + 185 * random(), 50 + 185 * random()] as const,
  );
  const [foot, top] = [
    colors[0] ?? ([90, 90, 90] as const),
    colors[1] ?? ([200, 200, 200] as const),
  ];
  const rings = Array.from({ length: bands + 1 }, (_, index): Ring => {
    const height = index / bands;
    const radius = waves.reduce(
      (sum, { turns, swing, phase }) =>
        sum + swing * Math.sin(2 * Math.PI * turns * height + phase),
      0.22,
    );
    const [red, green, blue] = foot.map((low, at) => low + ((top[at] ?? 0) - low) * height);
    return { radius, height, color: [red ?? 0, green ?? 0, blue ?? 0] };
  });
  return [{ radius: 0, height: 0, color: foot }, ...rings, { radius: 0, height: 1, color: top }];
}

interface Solid {
  /** Three numbers a corner. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** Four bytes a corner; the last is opaque. */
  readonly colors: Uint8Array;
  /** Three corners a triangle, counter-clockwise from outside. */
  readonly triangles: Uint32Array;
}

/** An outline turned round its axis: each stretch has corners of its own, so its edges are sharp. */
function turned(outline: readonly Ring[], around: number): Solid {
  const [positions, normals, colors, triangles]: [number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
  ];
  outline.slice(1).forEach((to, index) => {
    const from = outline[index] ?? to;
    const length = Math.hypot(to.radius - from.radius, to.height - from.height);
    const outward = (to.height - from.height) / length;
    const upward = (from.radius - to.radius) / length;
    for (let side = 0; side <= around; side++) {
      const angle = ((side % around) / around) * 2 * Math.PI;
      const [x, z] = [Math.cos(angle), Math.sin(angle)];
      const low = positions.length / 3;
      for (const { radius, height, color } of [from, to]) {
        positions.push(x * radius, height, z * radius);
        normals.push(x * outward, upward, z * outward);
        colors.push(...color, 255);
      }
      if (side === around) continue;
      // On the axis both corners are one: there the square is a triangle.
      if (from.radius > 0) triangles.push(low, low + 1, low + 2);
      if (to.radius > 0) triangles.push(low + 1, low + 3, low + 2);
    }
  });
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    colors: Uint8Array.from(colors),
    triangles: Uint32Array.from(triangles),
  };
}

/** The bytes of a GLB file with one solid. Numbers stand as the machine has them: low byte first. */
function glbOf({ positions, normals, colors, triangles }: Solid, prompt: string): Uint8Array {
  const [float, byte, unsignedInt, vertices, elements] = [5126, 5121, 5125, 34_962, 34_963];
  const parts = [positions, normals, colors, triangles].map(({ buffer }) => Buffer.from(buffer));
  const data = Buffer.concat(parts);
  let byteOffset = 0;
  const bufferViews = parts.map(({ byteLength }, index) => {
    const target = index === 3 ? elements : vertices;
    const view = { buffer: 0, byteOffset, byteLength, target };
    byteOffset += byteLength;
    return view;
  });
  const count = positions.length / 3;
  const coordinates = [0, 1, 2].map((axis) => positions.filter((_, index) => index % 3 === axis));
  const min = coordinates.map((values) => values.reduce((a, b) => Math.min(a, b)));
  const max = coordinates.map((values) => values.reduce((a, b) => Math.max(a, b)));
  const attributes = { POSITION: 0, NORMAL: 1, COLOR_0: 2 };
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
    meshes: [{ primitives: [{ attributes, indices: 3, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.6 } }],
    accessors: [
      { bufferView: 0, componentType: float, count, type: 'VEC3', min, max },
      { bufferView: 1, componentType: float, count, type: 'VEC3' },
      { bufferView: 2, componentType: byte, normalized: true, count, type: 'VEC4' },
      { bufferView: 3, componentType: unsignedInt, count: triangles.length, type: 'SCALAR' },
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
