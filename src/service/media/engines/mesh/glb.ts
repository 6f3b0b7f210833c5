/** Writes binary glTF 2.0. */
import type { Solid } from './lathe.js';

const headBytes = 12;
const vertices = 34_962;
const elements = 34_963;
const float = 5126;
const byte = 5121;
const unsignedInt = 5125;

/** The bytes of a GLB file with one solid. */
export function encodeGlb(solid: Solid, prompt: string, software: string): Uint8Array {
  const parts = [solid.positions, solid.normals, solid.colors, solid.triangles].map(littleEndian);
  const data = Buffer.concat(parts);
  // Half an emoji has no place in UTF-8.
  const told = Buffer.from(prompt, 'utf8').toString('utf8');
  const json = JSON.stringify(document(solid, parts, { prompt: told, software }));
  const chunks = Buffer.concat([
    chunk('JSON', Buffer.from(json, 'utf8'), 0x20),
    chunk('BIN\0', data, 0),
  ]);
  const head = Buffer.alloc(headBytes);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(headBytes + chunks.length, 8);
  return Buffer.concat([head, chunks]);
}

function document(
  { positions, triangles }: Solid,
  parts: readonly Uint8Array[],
  { prompt, software }: { prompt: string; software: string },
) {
  const count = positions.length / 3;
  let byteOffset = 0;
  const bufferViews = parts.map(({ byteLength }, index) => {
    const target = index === 3 ? elements : vertices;
    const view = { buffer: 0, byteOffset, byteLength, target };
    byteOffset += byteLength;
    return view;
  });
  return {
    asset: { version: '2.0', generator: software, extras: { prompt } },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [
      {
        primitives: [
          { attributes: { POSITION: 0, NORMAL: 1, COLOR_0: 2 }, indices: 3, material: 0 },
        ],
      },
    ],
    materials: [{ pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.6 } }],
    accessors: [
      { bufferView: 0, componentType: float, count, type: 'VEC3', ...bounds(positions) },
      { bufferView: 1, componentType: float, count, type: 'VEC3' },
      { bufferView: 2, componentType: byte, normalized: true, count, type: 'VEC4' },
      { bufferView: 3, componentType: unsignedInt, count: triangles.length, type: 'SCALAR' },
    ],
    bufferViews,
    buffers: [{ byteLength: byteOffset }],
  };
}

/** The least and the greatest of each coordinate. */
function bounds(positions: Float32Array) {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, index) => {
    min[index % 3] = Math.min(min[index % 3] ?? value, value);
    max[index % 3] = Math.max(max[index % 3] ?? value, value);
  });
  return { min, max };
}

function littleEndian(numbers: Float32Array | Uint32Array | Uint8Array): Uint8Array {
  if (numbers instanceof Uint8Array) return numbers;
  const bytes = Buffer.alloc(numbers.length * 4);
  const isFloat = numbers instanceof Float32Array;
  numbers.forEach((value, index) => {
    if (isFloat) bytes.writeFloatLE(value, index * 4);
    else bytes.writeUInt32LE(value, index * 4);
  });
  return bytes;
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
