/** Pictures in the terminal: by its own protocol where it is known to have one, or as coloured blocks. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { childEnv, type Env } from '../lib/env.js';
import { imageSize } from '../lib/image-size.js';
import { NoPicture, pixelsIn, scaled, type Pixels } from '../lib/pixels.js';
import { takesColour } from './screen.js';

/** A larger picture would scroll everything else away. */
const maxRows = 16;

/** What draws a picture; undefined where the terminal is not known to show any. @throws NoPicture */
export async function drawPicture(
  bytes: Buffer,
  { env, columns, anywhere }: { env: Env; columns: number; anywhere: boolean },
): Promise<string | undefined> {
  const protocol = (await protocolOf(env)) ?? (anywhere ? 'blocks' : undefined);
  if (!protocol) return undefined;
  const size = imageSize(bytes);
  if (!size) throw new NoPicture('only PNG, JPEG, GIF and WebP images can be shown');
  const box = boxFor(size, columns);
  if (protocol === 'iterm') {
    const control = `inline=1;height=${box.rows};size=${bytes.length}`;
    return `\u001b]1337;File=${control}:${bytes.toString('base64')}\u0007\n`;
  }
  if (protocol === 'kitty' || protocol === 'tmux') {
    // It takes PNG; a cell of a fine screen has about 16 by 32 pixels.
    let png = bytes;
    if (size.kind !== 'PNG') {
      const { PNG } = (await import('pngjs')).default;
      const { data, ...small } = scaled(await pixelsIn(bytes), box.columns * 16, box.rows * 32);
      png = PNG.sync.write(Object.assign(new PNG(small), { data: Buffer.from(data) }));
    }
    return protocol === 'kitty' ? kitty(png, `a=T,f=100,q=2,r=${box.rows}`) : inTmux(png, box);
  }
  if (protocol === 'sixel') {
    const { image2sixel } = await import('sixel/lib/SixelEncoder.js');
    const { data, ...small } = scaled(await pixelsIn(bytes), box.columns * 8, box.rows * 16);
    return `${image2sixel(data, small.width, small.height, 256, 1)}\n`;
  }
  if (!takesColour(env, true)) throw new NoPicture('this terminal shows no colours');
  const cells = boxFor(size, Math.min(columns, 80, size.width));
  const pixels = scaled(await pixelsIn(bytes), cells.columns, cells.rows * 2);
  return blocks(pixels, /^(?:truecolor|24bit)$/.test(env['COLORTERM'] ?? ''));
}

/** By names alone: reading an answer of the terminal would take what the user types. */
export async function protocolOf(env: Env) {
  const { TERM = '', TERM_PROGRAM = '' } = env;
  if (TERM === 'dumb') return undefined;
  // Only tmux knows which terminal shows it now, and whether pictures reach that.
  if (env['TMUX']) {
    const words = ['display-message', '-p', '#{allow-passthrough} #{client_termname}'];
    const answer = promisify(execFile)('tmux', words, { env: childEnv(env), timeout: 1000 });
    const { stdout } = await answer.catch(() => ({ stdout: '' }));
    return /^(?:1|on|all) xterm-(?:kitty|ghostty)$/m.test(stdout) ? 'tmux' : undefined;
  }
  if (env['STY']) return undefined;
  const isKitty = env['KITTY_WINDOW_ID'] !== undefined || TERM_PROGRAM === 'ghostty';
  if (isKitty || /^xterm-(?:kitty|ghostty)$/.test(TERM)) return 'kitty';
  if (['iTerm.app', 'WezTerm', 'mintty', 'rio'].includes(TERM_PROGRAM)) return 'iterm';
  const isKonsole = Number(env['KONSOLE_VERSION'] ?? 0) >= 220_400;
  return isKonsole || /^(?:foot|mlterm|contour|yaft|vt340)/.test(TERM) ? 'sixel' : undefined;
}

interface Box {
  readonly rows: number;
  readonly columns: number;
}

/** The cells that a picture fills; a cell is about twice as high as wide. */
function boxFor({ width, height }: Omit<Pixels, 'data'>, maxColumns: number): Box {
  const ratio = (2 * width) / Math.max(1, height);
  const rows = Math.max(1, Math.min(maxRows, Math.floor(maxColumns / ratio)));
  return { rows, columns: Math.max(1, Math.min(maxColumns, Math.round(rows * ratio))) };
}

/** Kitty's protocol takes pieces of at most 4096 letters; q=2 keeps it from answering. */
function kitty(png: Buffer, control: string, wrap = (command: string) => command): string {
  const pieces = png.toString('base64').match(/.{1,4096}/gs) ?? [];
  const commands = pieces.map((piece, index) => {
    const more = index < pieces.length - 1 ? 1 : 0;
    return wrap(`\u001b_G${index === 0 ? `${control},` : ''}m=${more};${piece}\u001b\\`);
  });
  return `${commands.join('')}\n`;
}

/** The marks with which kitty numbers the rows of a picture. */
const rowMarks =
  '\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357';

/** The picture itself passes through tmux; in its place stand letters, which tmux scrolls and clips. */
function inTmux(png: Buffer, { rows, columns }: Box): string {
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(png).digest();
  const id = (red << 16) + (green << 8) + blue;
  const wrap = (command: string) =>
    `\u001bPtmux;${command.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  const sent = kitty(png, `a=T,U=1,f=100,q=2,i=${id},r=${rows},c=${columns}`, wrap).trimEnd();
  const lines = Array.from(rowMarks.slice(0, rows), (mark) => {
    const letter = '\u{10eeee}';
    return `\u001b[38;2;${red};${green};${blue}m${letter}${mark}${letter.repeat(columns - 1)}\u001b[39m\n`;
  });
  return sent + lines.join('');
}

/** Two pixels in each cell: the upper one as the letter, the lower one behind it. */
function blocks({ width, height, data }: Pixels, isExact: boolean): string {
  const colour = (x: number, y: number, layer: 38 | 48) => {
    const [red = 0, green = 0, blue = 0, opacity = 0] = data.subarray((y * width + x) * 4);
    if (opacity < 128) return undefined;
    const code = isExact ? `2;${red};${green};${blue}` : `5;${paletteIndex(red, green, blue)}`;
    return `\u001b[${layer};${code}m`;
  };
  let text = '';
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 1) {
      const upper = colour(x, y, 38);
      const lower = colour(x, y + 1, upper === undefined ? 38 : 48);
      if (upper === undefined) text += lower === undefined ? '\u001b[0m ' : `\u001b[0m${lower}▄`;
      else text += `${upper}${lower ?? '\u001b[49m'}▀`;
    }
    text += '\u001b[0m\n';
  }
  return text;
}

/** Of the 256 colours: the 24 greys, or a cube of six levels, which are 0, 95, 135 and so on. */
function paletteIndex(red: number, green: number, blue: number): number {
  const isGray = Math.max(red, green, blue) - Math.min(red, green, blue) < 12;
  if (isGray && red > 3 && red < 243) return 232 + Math.round((red - 8) / 10);
  const level = (value: number) => (value < 48 ? 0 : Math.max(1, Math.round((value - 55) / 40)));
  return 16 + 36 * level(red) + 6 * level(green) + level(blue);
}
