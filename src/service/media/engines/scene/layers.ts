/** What a scene is made of, from the back to the front. */
import { blend, mix, type Box, type Color, type Point, type Shape } from './shapes.js';

/** A run of pixels of one row. */
export interface Span {
  readonly y: number;
  /** The first pixel. */
  readonly from: number;
  /** The pixel after the last. */
  readonly to: number;
}

export interface Layer {
  /** Paints its part of a span over what lies there; `row` holds the span alone, as RGB. */
  paint(row: Float32Array, span: Span, seconds: number): void;
  /** Where it shows at a time; a layer that never moves has none. */
  readonly boxesAt?: (seconds: number) => readonly Box[];
}

/** A sky that fades downwards, lighter around the sun. */
export function sky(colors: readonly Color[], height: number, sun: Point, light: Color): Layer {
  const reach = height * 0.45;
  return {
    paint: (row, { y, from, to }) => {
      const color = gradient(colors, y / height);
      const down = ((y + 0.5 - sun.y) / reach) ** 2;
      for (let x = from; x < to; x++) {
        const away = 1 + down + ((x + 0.5 - sun.x) / reach) ** 2;
        blend(row, x - from, color, 1);
        blend(row, x - from, light, 0.55 / (away * away));
      }
    },
  };
}

/** Everything below a line, fading from one color at its crest to another `depth` pixels below. */
export function ground(crest: Float32Array, top: Color, bottom: Color, depth: number): Layer {
  const highest = crest.reduce((least, y) => Math.min(least, y), Infinity);
  const shades = Array.from({ length: 256 }, (_, shade) => mix(top, bottom, shade / 255));
  const shadesPerPixel = 255 / depth;
  return {
    paint: (row, { y, from, to }) => {
      if (y + 1 < highest) return;
      for (let x = from; x < to; x++) {
        const below = y + 0.5 - (crest[x] ?? Infinity);
        if (below <= -0.5) continue;
        const shade = Math.min(255, Math.max(0, Math.round(below * shadesPerPixel)));
        blend(row, x - from, shades[shade] ?? bottom, Math.min(1, below + 0.5));
      }
    },
  };
}

/** Shapes that stay where they are. */
export function still(shapes: readonly Shape[]): Layer {
  const paint = painter(shapes);
  return { paint: (row, span) => paint(row, span) };
}

/** Shapes that are elsewhere at every time. */
export function moving(shapesAt: (seconds: number) => readonly Shape[]): Layer {
  let known: { seconds: number; paint: ReturnType<typeof painter> } | undefined;
  return {
    paint: (row, span, seconds) => {
      if (known?.seconds !== seconds) known = { seconds, paint: painter(shapesAt(seconds)) };
      known.paint(row, span);
    },
    boxesAt: (seconds) => shapesAt(seconds).map(({ box }) => box),
  };
}

/** Rows are looked up in bands, so that a row asks only the shapes near it. */
const bandRows = 16;

function painter(shapes: readonly Shape[]) {
  const bands = new Map<number, Shape[]>();
  for (const shape of shapes) {
    const last = Math.floor((shape.box.bottom - 1) / bandRows);
    for (let band = Math.floor(shape.box.top / bandRows); band <= last; band++) {
      const known = bands.get(band);
      if (known) known.push(shape);
      else bands.set(band, [shape]);
    }
  }
  return (row: Float32Array, { y, from, to }: Span) => {
    for (const shape of bands.get(Math.floor(y / bandRows)) ?? []) {
      const { box, color } = shape;
      if (y < box.top || y >= box.bottom) continue;
      const end = Math.min(to, box.right);
      for (let x = Math.max(from, box.left); x < end; x++) {
        const alpha = shape.cover(x + 0.5, y + 0.5);
        if (alpha > 0) blend(row, x - from, color, alpha);
      }
    }
  };
}

function gradient(colors: readonly Color[], part: number): Color {
  const at = Math.min(1, Math.max(0, part)) * (colors.length - 1);
  const index = Math.min(colors.length - 2, Math.floor(at));
  const [from, to] = [colors[index], colors[index + 1]];
  return from && to ? mix(from, to, at - index) : (from ?? [0, 0, 0]);
}
