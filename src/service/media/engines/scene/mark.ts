/** A small mark in a corner, another one for every text. */
import { randomFrom } from '../random.js';
import { still, type Layer } from './layers.js';
import { polygon, type Color } from './shapes.js';

const cells = 5;
const white: Color = [255, 255, 255];

/** Five by five fields, the same on the left as on the right. */
export function markLayer(text: string, width: number, height: number): Layer {
  const random = randomFrom('mark', text);
  const side = Math.min(width, height) * 0.014;
  const [left, top] = [width - side * (cells + 1.5), height - side * (cells + 1.5)];
  const columns = [0, 1, 2].map(() => Array.from({ length: cells }, () => random.next() < 0.55));
  const fields = Array.from({ length: cells }, (_, column) =>
    Array.from({ length: cells }, (_, row) => {
      const isOn = columns[Math.min(column, cells - 1 - column)]?.[row] ?? false;
      return isOn ? [square(left + column * side, top + row * side, side)] : [];
    }),
  );
  return still(fields.flat(2));
}

function square(x: number, y: number, side: number) {
  return polygon(
    [
      { x, y },
      { x: x + side, y },
      { x: x + side, y: y + side },
      { x, y: y + side },
    ],
    white,
    0.6,
  );
}
