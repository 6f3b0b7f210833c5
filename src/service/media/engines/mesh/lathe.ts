/** Turns an outline round its axis into triangles. */
import type { Stretch } from './profile.js';

export interface Solid {
  /** Three numbers a corner. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** Four bytes a corner; the last is opaque. */
  readonly colors: Uint8Array;
  /** Three corners a triangle, counter-clockwise from outside. */
  readonly triangles: Uint32Array;
}

/** @param around how many flat sides the round has */
export function turnOutline(profile: readonly Stretch[], around: number): Solid {
  const corners = profile.length * 2 * (around + 1);
  const positions = new Float32Array(corners * 3);
  const normals = new Float32Array(corners * 3);
  const colors = new Uint8Array(corners * 4);
  const triangles: number[] = [];
  profile.forEach(({ from, to, color }, index) => {
    const length = Math.hypot(to.radius - from.radius, to.height - from.height);
    const [outward, upward] = [
      (to.height - from.height) / length,
      (from.radius - to.radius) / length,
    ];
    const first = index * 2 * (around + 1);
    for (let side = 0; side <= around; side++) {
      const angle = ((side % around) / around) * 2 * Math.PI;
      const [x, z] = [Math.cos(angle), Math.sin(angle)];
      [from, to].forEach(({ radius, height }, end) => {
        const corner = first + side * 2 + end;
        positions.set([x * radius, height, z * radius], corner * 3);
        normals.set([x * outward, upward, z * outward], corner * 3);
        colors.set([...color, 255], corner * 4);
      });
      if (side === around) continue;
      const low = first + side * 2;
      // On the axis both corners are one: there the square is a triangle.
      if (from.radius > 0) triangles.push(low, low + 1, low + 2);
      if (to.radius > 0) triangles.push(low + 1, low + 3, low + 2);
    }
  });
  return { positions, normals, colors, triangles: Uint32Array.from(triangles) };
}
