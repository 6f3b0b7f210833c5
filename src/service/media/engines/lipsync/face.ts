/** A face at the lower edge of a picture, whose mouth opens and shuts. */
import { randomFrom } from '../random.js';
import { moving, still, type Layer } from '../scene/layers.js';
import { disc, mix, polygon, stroke, type Color, type Point, type Shape } from '../scene/shapes.js';

const ink: Color = [52, 36, 40];
const white: Color = [255, 255, 255];
const lips: Color = [176, 72, 78];
const throat: Color = [84, 24, 34];

const skins: readonly [Color, ...Color[]] = [
  [255, 219, 180],
  [232, 184, 140],
  [190, 134, 92],
  [124, 82, 58],
];
const hairs: readonly [Color, ...Color[]] = [
  [60, 40, 32],
  [150, 88, 44],
  [214, 176, 98],
  [40, 44, 60],
];

/** @param openAt how far the mouth is open at a time, 0 to 1 */
export function faceLayers(
  width: number,
  height: number,
  seed: number,
  openAt: (seconds: number) => number,
): readonly Layer[] {
  const random = randomFrom('face', seed);
  const size = Math.min(width, height) * 0.2;
  const middle = { x: width / 2, y: height - size * 1.25 };
  const [skin, hair] = [random.pick(skins), random.pick(hairs)];
  const blinkEvery = random.between(2.4, 4.2);
  return [
    still(head(middle, size, skin, hair)),
    moving((seconds) => eyes(middle, size, skin, seconds % blinkEvery < 0.12)),
    moving((seconds) => mouth(middle, size, openAt(seconds))),
  ];
}

function head({ x, y }: Point, size: number, skin: Color, hair: Color): readonly Shape[] {
  const shade = mix(skin, ink, 0.2);
  return [
    disc({ x, y: y + size * 1.55 }, size * 1.05, mix(hair, white, 0.25)),
    stroke({ x, y: y + size * 0.6 }, { x, y: y + size }, size * 0.55, shade),
    disc({ x, y: y - size * 0.12 }, size * 1.04, hair),
    disc({ x, y }, size * 0.92, skin),
    stroke({ x, y }, { x: x - size * 0.06, y: y + size * 0.14 }, size * 0.07, shade),
  ];
}

function eyes({ x, y }: Point, size: number, skin: Color, isShut: boolean): readonly Shape[] {
  return [-0.36, 0.36].flatMap((side) => {
    const center = { x: x + side * size, y: y - size * 0.14 };
    if (!isShut) {
      return [disc(center, size * 0.15, white), disc(center, size * 0.075, ink)];
    }
    const half = size * 0.14;
    const lid = stroke(
      { x: center.x - half, y: center.y },
      { x: center.x + half, y: center.y },
      size * 0.04,
      ink,
    );
    // The clear disc keeps the box of the open eye, so that it is painted over.
    return [disc(center, size * 0.15, skin), lid];
  });
}

function mouth({ x, y }: Point, size: number, open: number): readonly Shape[] {
  const center = { x, y: y + size * 0.44 };
  const [across, down] = [size * (0.3 - 0.08 * open), size * (0.03 + 0.2 * open)];
  return [
    ellipse(center, across + size * 0.05, down + size * 0.045, lips),
    ellipse(center, across, down, throat),
  ];
}

function ellipse({ x, y }: Point, across: number, down: number, color: Color): Shape {
  const corners = Array.from({ length: 20 }, (_, index) => {
    const angle = (index / 20) * 2 * Math.PI;
    return { x: x + across * Math.cos(angle), y: y + down * Math.sin(angle) };
  });
  return polygon(corners, color);
}
