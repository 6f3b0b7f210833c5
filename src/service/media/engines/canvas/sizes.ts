/** The shapes of picture that local/canvas makes (section 2.12). */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** By ratio, in lowest terms except where people know another name. */
export const sizesByRatio = {
  '1:1': { width: 1024, height: 1024 },
  '7:4': { width: 1792, height: 1024 },
  '4:7': { width: 1024, height: 1792 },
  '3:2': { width: 1536, height: 1024 },
  '2:3': { width: 1024, height: 1536 },
  '4:3': { width: 1280, height: 960 },
  '3:4': { width: 960, height: 1280 },
  '16:9': { width: 1536, height: 864 },
  '9:16': { width: 864, height: 1536 },
  '21:9': { width: 1792, height: 768 },
} as const satisfies Readonly<Record<string, Size>>;

export type Ratio = keyof typeof sizesByRatio;

export const ratios: readonly Ratio[] = [
  '1:1',
  '7:4',
  '4:7',
  '3:2',
  '2:3',
  '4:3',
  '3:4',
  '16:9',
  '9:16',
  '21:9',
];

/** The ratio that a size such as `1920x1080` reduces to; undefined when it is none of the above. */
export function ratioOf(size: string): Ratio | undefined {
  const [, width, height] = /^([1-9]\d{0,5})x([1-9]\d{0,5})$/.exec(size) ?? [];
  return ratios.find((ratio) => {
    const { width: ourWidth, height: ourHeight } = sizesByRatio[ratio];
    return Number(width) * ourHeight === Number(height) * ourWidth;
  });
}
