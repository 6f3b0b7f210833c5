/** Pictures as a terminal gets them, read back and compared with their pixels. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { decode as decodeSixel } from 'sixel';
import { describe, expect, it } from 'vitest';
import { drawPicture } from '../../src/terminal/picture.js';
import { testFolder } from '../helpers/folder.js';
import { Emulator } from './emulator.js';

type Pixel = readonly [red: number, green: number, blue: number, opacity?: number];

function pixels(width: number, height: number, at: (x: number, y: number) => Pixel) {
  const data = Buffer.alloc(width * height * 4);
  for (let index = 0; index < width * height; index += 1) {
    const [red, green, blue, opacity = 255] = at(index % width, Math.floor(index / width));
    data.set([red, green, blue, opacity], index * 4);
  }
  return { width, height, data };
}

function png(width: number, height: number, at: (x: number, y: number) => Pixel): Buffer {
  return PNG.sync.write(Object.assign(new PNG({ width, height }), pixels(width, height, at)));
}

/** Red, green, blue and white quarters. */
const quarters =
  (width: number, height: number) =>
  (x: number, y: number): Pixel => {
    if (y < height / 2) return x < width / 2 ? [250, 0, 0] : [0, 240, 0];
    return x < width / 2 ? [0, 0, 245] : [255, 255, 255];
  };
const square = png(320, 320, quarters(320, 320));
const noisy = png(200, 100, (x, y) => [(x * y * 7919) % 256, (x * 31) % 256, (y * 17) % 256]);
const photo = jpeg.encode(pixels(320, 320, quarters(320, 320)), 95).data;

type TestEnv = Readonly<Record<string, string | undefined>>;
const draw = (env: TestEnv, bytes = square, columns = 100, anywhere = false) =>
  drawPicture(bytes, { env, columns, anywhere });

/** The commands of kitty's protocol: the control data of each, and the picture in them. */
function kittyCommands(text = '') {
  const commands = Array.from(text.matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g));
  const data = commands.map(([, , piece = '']) => piece);
  expect(Math.max(...data.map(({ length }) => length))).toBeLessThanOrEqual(4096);
  const controls = commands.map(([, control]) => control);
  return { controls, picture: Buffer.from(data.join(''), 'base64') };
}

describe('a picture in the terminal', () => {
  it.each([{ KITTY_WINDOW_ID: '1' }, { TERM: 'xterm-kitty' }, { TERM_PROGRAM: 'ghostty' }])(
    'goes to %j in pieces that join to the whole',
    async (env) => {
      const { controls, picture } = kittyCommands(await draw(env, noisy));
      expect(picture.equals(noisy)).toBe(true);
      expect(controls[0]).toBe('a=T,f=100,q=2,r=16,m=1');
      expect(controls.at(-1)).toBe('m=0');
    },
  );

  it('goes to kitty as PNG when it is a JPEG', async () => {
    const { picture } = kittyCommands(await draw({ TERM: 'xterm-kitty' }, photo));
    const { width, height, data } = PNG.sync.read(picture);
    expect({ width, height }).toEqual({ width: 512, height: 512 });
    const middle = (x: number, y: number) => [...data.subarray((y * width + x) * 4)].slice(0, 3);
    expect(middle(128, 128).map((one) => Math.round(one / 51))).toEqual([5, 0, 0]);
    expect(middle(384, 384).map((one) => Math.round(one / 51))).toEqual([5, 5, 5]);
  });

  it.each([{ TERM_PROGRAM: 'iTerm.app' }, { TERM_PROGRAM: 'WezTerm' }])(
    'goes to %j in one sequence',
    async (env) => {
      expect(await draw(env)).toBe(
        `\u001b]1337;File=inline=1;height=16;size=${square.length}:${square.toString('base64')}\u0007\n`,
      );
    },
  );

  /** A tmux that answers so. */
  function tmux(answer: string) {
    const folder = testFolder();
    writeFileSync(join(folder, 'tmux'), `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
    return { TMUX: '/tmp/x,1,0', TERM: 'tmux-256color', PATH: `${folder}:/usr/bin:/bin` };
  }

  it.skipIf(process.platform === 'win32')(
    'passes through tmux, with letters in its place',
    async () => {
      const drawn = (await draw(tmux('1 xterm-kitty'))) ?? '';
      const wrapped = /\u001bPtmux;((?:\u001b\u001b|[^\u001b])*)\u001b\\/g;
      const sent = Array.from(drawn.matchAll(wrapped), ([, command = '']) => command).join('');
      const { controls, picture } = kittyCommands(sent.replaceAll('\u001b\u001b', '\u001b'));
      expect(picture.equals(square)).toBe(true);
      const [, id = ''] = /^a=T,U=1,f=100,q=2,i=(\d+),r=16,c=32,m=0$/.exec(controls[0] ?? '') ?? [];
      const lines = drawn.replaceAll(wrapped, '').trimEnd().split('\n');
      expect(lines).toHaveLength(16);
      const colour = [Number(id) >> 16, (Number(id) >> 8) & 255, Number(id) & 255].join(';');
      expect(lines[2]).toBe(
        `\u001b[38;2;${colour}m\u{10eeee}\u030e${'\u{10eeee}'.repeat(31)}\u001b[39m`,
      );
    },
  );

  it
    .skipIf(process.platform === 'win32')
    .each(['0 xterm-kitty', 'off xterm-kitty', 'on xterm-256color'])(
    'is not sent to a tmux that says %j',
    async (answer) => {
      expect(await draw({ ...tmux(answer), KITTY_WINDOW_ID: '1' })).toBeUndefined();
    },
  );

  it.each([{ TERM: 'foot' }, { TERM: 'mlterm-256color' }, { KONSOLE_VERSION: '240802' }])(
    'goes to %j as sixel with its colors',
    async (env) => {
      for (const bytes of [square, photo]) {
        const sixel = /^\u001bP0;1;q([^\u001b]*)\u001b\\\n$/.exec((await draw(env, bytes)) ?? '');
        const { width, height, data32 } = decodeSixel(sixel?.[1] ?? '');
        expect({ width, height }).toEqual({ width: 256, height: 256 });
        const at = (x: number, y: number) => (data32[y * width + x] ?? 0) & 0xffffff;
        const near = (colour: number) => colour & 0xf0f0f0;
        expect([at(64, 64), at(192, 64), at(64, 192), at(192, 192)].map(near)).toEqual([
          0x0000f0, 0x00f000, 0xf00000, 0xf0f0f0,
        ]);
      }
    },
  );

  it.each([
    {},
    { TERM: 'xterm-256color' },
    { TERM: 'foot', STY: '1.pts' },
    { TERM: 'dumb', KITTY_WINDOW_ID: '1' },
  ])('is not drawn unasked in %j', async (env: TestEnv) => {
    expect(await draw(env)).toBeUndefined();
  });
});

describe('a preview', () => {
  const preview = async (env: TestEnv, bytes = square, columns = 100) =>
    (await draw(env, bytes, columns, true)) ?? '';
  const cells = async (text: string) => {
    const screen = await new Emulator(80, 24).show(text);
    return (x: number, y: number) => screen.cell(x, y);
  };
  const exact = { TERM: 'xterm', COLORTERM: 'truecolor' };

  it('is drawn in half blocks, a pixel above another in each cell', async () => {
    const text = await preview(exact, png(4, 4, quarters(4, 4)));
    expect(text.split('\n')).toHaveLength(3);
    const at = await cells(text);
    expect([at(0, 0), at(3, 0), at(0, 1), at(3, 1), at(4, 0)]).toEqual([
      ['▀', 0xfa0000, 0xfa0000],
      ['▀', 0x00f000, 0x00f000],
      ['▀', 0x0000f5, 0x0000f5],
      ['▀', 0xffffff, 0xffffff],
      ['', '', ''],
    ]);
    const large = await preview(exact);
    expect(large.split('\n')).toHaveLength(17);
    expect((await cells(large))(31, 15)).toEqual(['▀', 0xffffff, 0xffffff]);
  });

  it('leaves the background of the terminal where the picture is transparent', async () => {
    const half = png(2, 2, (x, y) => [9, 9, 9, x === y ? 255 : 0]);
    const at = await cells(await preview(exact, half));
    expect([at(0, 0), at(1, 0)]).toEqual([
      ['▀', 0x090909, ''],
      ['▄', 0x090909, ''],
    ]);
  });

  it.each([
    [[255, 0, 0], 196],
    [[128, 128, 128], 244],
    [[242, 242, 242], 255],
    [[0, 0, 0], 16],
  ] as const)('takes %j for the color %i of 256 without COLORTERM', async (colour, index) => {
    const plain = png(2, 2, () => colour);
    const at = await cells(await preview({ TERM: 'xterm-256color' }, plain));
    expect(at(0, 0)).toEqual(['▀', index, index]);
  });

  it.each([
    [20, 3],
    [80, 13],
  ])('fits a screen of %i columns in its own proportions', async (columns, rows) => {
    const wide = png(300, 100, quarters(300, 100));
    const lines = (await preview(exact, wide, columns)).trimEnd().split('\n');
    expect(lines.map((line) => line.split('▀').length - 1)).toEqual(Array(rows).fill(rows * 6));
  });

  const head = (width: number, height: number, interlaced = 0) => {
    const bytes = Buffer.from(png(1, 1, () => [0, 0, 0]));
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    bytes[28] = interlaced;
    return bytes;
  };

  it.each([
    [{ ...exact, NO_COLOR: '1' }, square, 'this terminal shows no colours'],
    [{ TERM: 'dumb' }, square, 'this terminal shows no colours'],
    [exact, head(30_000, 30_000), '30000 × 30000 is too large'],
    [exact, head(5, 5, 1), 'it is neither JPEG nor plain PNG'],
    [exact, head(500, 500), 'it cannot be decoded'],
    [exact, photo.subarray(0, 700), 'it cannot be decoded'],
    [exact, Buffer.from('GIF89a\u0005\0\u0005\0'), 'it is neither JPEG nor plain PNG'],
    [exact, Buffer.from('glTF'), 'only PNG, JPEG, GIF and WebP images can be shown'],
  ])('in %j is refused with a reason', async (env, bytes, why) => {
    await expect(preview(env, bytes)).rejects.toThrow(why);
  });
});
