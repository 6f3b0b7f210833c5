/** Flat shapes with soft edges. Coordinates are pixels; y grows downwards. */

export type Color = readonly [red: number, green: number, blue: number];

/** Whole pixels; the right and lower edges do not belong to it. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Shape {
  readonly box: Box;
  readonly color: Color;
  /** How much of the pixel around a point it covers, 0 to 1. */
  cover(x: number, y: number): number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Disc {
  readonly center: Point;
  readonly radius: number;
}

export function disc(center: Point, radius: number, color: Color, alpha = 1): Shape {
  return {
    color,
    box: around([center], radius + 1),
    cover: (x, y) => alpha * edge(Math.hypot(x - center.x, y - center.y) - radius),
  };
}

/** Light that fades from the centre outwards and is gone at the radius. */
export function glow(center: Point, radius: number, color: Color, alpha: number): Shape {
  return {
    color,
    box: around([center], radius),
    cover: (x, y) => {
      const near = 1 - ((x - center.x) ** 2 + (y - center.y) ** 2) / radius ** 2;
      return near > 0 ? alpha * near * near : 0;
    },
  };
}

/** Discs that have grown together, all on one flat base. */
export function cloud(discs: readonly Disc[], base: number, color: Color, alpha: number): Shape {
  const boxes = discs.map(({ center, radius }) => around([center], radius + 1));
  return {
    color,
    box: {
      left: Math.min(...boxes.map(({ left }) => left)),
      top: Math.min(...boxes.map(({ top }) => top)),
      right: Math.max(...boxes.map(({ right }) => right)),
      bottom: Math.ceil(base + 1),
    },
    cover: (x, y) => {
      let outside = Infinity;
      for (const { center, radius } of discs) {
        outside = Math.min(outside, Math.hypot(x - center.x, y - center.y) - radius);
      }
      return alpha * edge(Math.max(outside, y - base));
    },
  };
}

/** A line with round ends. */
export function stroke(from: Point, to: Point, width: number, color: Color, alpha = 1): Shape {
  const along = { x: to.x - from.x, y: to.y - from.y };
  const lengthSquared = along.x ** 2 + along.y ** 2 || 1;
  return {
    color,
    box: around([from, to], width / 2 + 1),
    cover: (x, y) => {
      const part = ((x - from.x) * along.x + (y - from.y) * along.y) / lengthSquared;
      const at = Math.min(1, Math.max(0, part));
      const distance = Math.hypot(x - from.x - at * along.x, y - from.y - at * along.y);
      return alpha * edge(distance - width / 2);
    },
  };
}

/** A convex polygon, its corners in clockwise order as they are seen. */
export function polygon(corners: readonly Point[], color: Color, alpha = 1): Shape {
  const sides = corners.map((from, index) => {
    const to = corners[(index + 1) % corners.length] ?? from;
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const normal = { x: (to.y - from.y) / length, y: -(to.x - from.x) / length };
    return { ...normal, offset: normal.x * from.x + normal.y * from.y };
  });
  return {
    color,
    box: around(corners, 1),
    cover: (x, y) => {
      let outside = -Infinity;
      for (const side of sides) {
        outside = Math.max(outside, side.x * x + side.y * y - side.offset);
      }
      return alpha * edge(outside);
    },
  };
}

/** Lays a color over pixel `index` of a row of RGB. */
export function blend(row: Float32Array, index: number, color: Color, alpha: number): void {
  // Done for every pixel of every layer: written out, it takes a third of the time of a loop.
  const at = index * 3;
  const red = row[at] ?? 0;
  const green = row[at + 1] ?? 0;
  const blue = row[at + 2] ?? 0;
  row[at] = red + (color[0] - red) * alpha;
  row[at + 1] = green + (color[1] - green) * alpha;
  row[at + 2] = blue + (color[2] - blue) * alpha;
}

/** A color between two others; 0 gives the first. */
export function mix(from: Color, to: Color, part: number): Color {
  const at = Math.min(1, Math.max(0, part));
  return [
    from[0] + (to[0] - from[0]) * at,
    from[1] + (to[1] - from[1]) * at,
    from[2] + (to[2] - from[2]) * at,
  ];
}

/** How much of a pixel lies inside an edge that is `distance` pixels away from its middle. */
function edge(distance: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance));
}

function around(points: readonly Point[], margin: number): Box {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return {
    left: Math.floor(Math.min(...xs) - margin),
    top: Math.floor(Math.min(...ys) - margin),
    right: Math.ceil(Math.max(...xs) + margin),
    bottom: Math.ceil(Math.max(...ys) + margin),
  };
}
