/** The recording of the README: what svc shows today, as a picture that moves without a script. */
import { PNG } from 'pngjs';
import { play, promptFor, type Scene, type Size, type Stage } from './play.js';
import { typedAtLogin } from './scenes.js';
import { screenOf, type Line, type Run } from './screen.js';

const size: Size = { columns: 84, rows: 26 };

const scene: Scene = {
  lines: [
    'svc login',
    'svc chat -m local/guide "How do I keep costs down?"',
    'svc generate local/canvas "a lighthouse at dusk" -o lighthouse.png',
    'svc jobs list',
    'svc usage chart --since 14d',
  ],
  typed: typedAtLogin,
  isNew: true,
  server: true,
  // A terminal that shows pictures.
  env: { TERM: 'xterm-kitty' },
};

const [cellWidth, cellHeight, margin, bar] = [8.4, 18, 16, 34];
const width = Math.ceil(size.columns * cellWidth + 2 * margin);
const height = bar + size.rows * cellHeight + margin;

export async function recording(stage: Stage): Promise<string> {
  const parts = await play(stage, scene, size);
  const steps = await Promise.all(parts.map(stepFrom));
  return svgOf(steps);
}

/** A command being typed, then what it prints, on an empty screen. */
interface Step {
  readonly command: Line;
  readonly output: readonly Line[];
  readonly picture?: { readonly png: Buffer; readonly row: number };
  readonly typingMs: number;
  readonly readingMs: number;
}

async function stepFrom(sent: string, index: number): Promise<Step> {
  const { before, png, after } = takePicture(sent);
  const row = png && (await screenOf(before, size)).length;
  const [command = [], ...output] = await screenOf(`${before}${after}`, size);
  const letters = promptFor(scene.lines[index] ?? '').length;
  return {
    command,
    output: output.slice(0, size.rows - 1),
    picture: png && row !== undefined ? { png, row } : undefined,
    typingMs: 30 * letters,
    readingMs: 2500 + 120 * output.length,
  };
}

const pictureRows = 15;

/** Takes out a picture that was sent by kitty's protocol; lines are left free for it. */
function takePicture(sent: string): { before: string; png?: Buffer; after: string } {
  const commands = [...sent.matchAll(/\u001b_G[^;]*;([^\u001b]*)\u001b\\/g)];
  const [first, last] = [commands[0], commands.at(-1)];
  if (!first || !last) return { before: sent, after: '' };
  const bytes = Buffer.from(commands.map(([, piece = '']) => piece).join(''), 'base64');
  return {
    before: sent.slice(0, first.index),
    png: smaller(bytes),
    after: '\r\n'.repeat(pictureRows - 1) + sent.slice(last.index + last[0].length),
  };
}

/** A quarter as wide and high. */
function smaller(bytes: Buffer): Buffer {
  const by = 4;
  const from = PNG.sync.read(bytes);
  const to = new PNG({ width: from.width / by, height: from.height / by });
  for (let y = 0; y < to.height; y += 1) {
    for (let x = 0; x < to.width; x += 1) {
      const source = (y * by * from.width + x * by) * 4;
      from.data.copy(to.data, (y * to.width + x) * 4, source, source + 4);
    }
  }
  return PNG.sync.write(to, { colorType: 2, deflateLevel: 9 });
}

const palette: Readonly<Record<string, string>> = {
  bold: 'font-weight:700;fill:#f0f6fc',
  dim: 'fill:#8b949e',
  italic: 'font-style:italic',
  underline: 'text-decoration:underline',
  red: 'fill:#ff7b72',
  green: 'fill:#7ee787',
  yellow: 'fill:#e3b341',
  blue: 'fill:#79c0ff',
  magenta: 'fill:#d2a8ff',
  cyan: 'fill:#76e3ea',
};

function svgOf(steps: readonly Step[]): string {
  const totalMs = steps.reduce((sum, { typingMs, readingMs }) => sum + typingMs + readingMs, 0);
  const share = (ms: number) => `${((100 * ms) / totalMs).toFixed(2)}%`;
  const rules: string[] = [];
  const groups: string[] = [];
  let startMs = 0;
  for (const [index, step] of steps.entries()) {
    const typedMs = startMs + step.typingMs;
    const endMs = typedMs + step.readingMs;
    const isLast = index === steps.length - 1;
    const letters = step.command.reduce((sum, run) => sum + run.width, 0);
    rules.push(
      shownBetween(`s${index}`, share(startMs), share(endMs), isLast),
      shownBetween(`o${index}`, share(typedMs), share(endMs), isLast),
      `@keyframes c${index}{0%,${share(startMs)}{transform:none;` +
        `animation-timing-function:steps(${letters})}` +
        `${share(typedMs)},100%{transform:translateX(${Math.ceil(letters * cellWidth)}px)}}` +
        `.c${index}{animation-name:c${index};transform:translateX(${Math.ceil(letters * cellWidth)}px)}`,
    );
    groups.push(
      `<g class="s s${index}">${textOf(step.command, 0).join('')}`,
      `<rect class="c c${index}" x="${margin}" y="${bar}" ` +
        `width="${width - 2 * margin}" height="${cellHeight}"/>`,
      `<g class="o o${index}">`,
      ...step.output.flatMap((line, row) => textOf(line, row + 1)),
      ...(step.picture ? [pictureOf(step.picture)] : []),
      '</g></g>',
    );
    startMs = endMs;
  }
  const styles = Object.entries(palette).map(([name, style]) => `.${name}{${style}}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
      `width="${width}" height="${height}" role="img" aria-labelledby="t">`,
    '<title id="t">svc in a terminal: login, an answer and its price, a picture, jobs, usage</title>',
    `<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;` +
      `fill:#c9d1d9}.s,.o,.c{animation:${totalMs}ms infinite}` +
      `.c{fill:#0d1117}`,
    ...styles,
    ...rules,
    '@media(prefers-reduced-motion:reduce){*{animation:none!important}}',
    '</style>',
    `<clipPath id="w"><rect width="${width}" height="${height}" rx="10"/></clipPath>`,
    `<g clip-path="url(#w)"><rect width="${width}" height="${height}" fill="#0d1117"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, index) => `<circle cx="${margin + 6 + 20 * index}" cy="16" r="6" fill="${fill}"/>`,
    ),
    ...groups,
    '</g></svg>\n',
  ].join('\n');
}

/** Visible for a part of the time; without animation, only the last of all is. */
function shownBetween(name: string, from: string, until: string, isLast: boolean): string {
  const start = from === '0.00%' ? '' : `0%{visibility:hidden}`;
  const end = isLast ? '100%{visibility:visible}' : `${until},100%{visibility:hidden}`;
  return (
    `@keyframes ${name}{${start}${from}{visibility:visible}${end}}` +
    `.${name}{animation-name:${name};animation-timing-function:step-end;` +
    `visibility:${isLast ? 'visible' : 'hidden'}}`
  );
}

function pictureOf({ png, row }: NonNullable<Step['picture']>): string {
  const side = pictureRows * cellHeight - 8;
  return (
    `<image x="${margin}" y="${bar + row * cellHeight + 2}" width="${side}" height="${side}" ` +
    `href="data:image/png;base64,${png.toString('base64')}"/>`
  );
}

function textOf(line: Line, row: number): string[] {
  if (line.length === 0) return [];
  const y = bar + row * cellHeight + 13;
  return [`<text y="${y}">${line.map(spanOf).join('')}</text>`];
}

/** As wide as its columns, whatever font there is. */
function spanOf({ text, at, width: columns, style }: Run): string {
  const shown = text.trimEnd();
  const indent = shown.length - shown.trimStart().length;
  if (shown === '') return '';
  const wide = columns - (text.length - shown.length) - indent;
  const x = (margin + (at + indent) * cellWidth).toFixed(1);
  const length = (wide * cellWidth).toFixed(1);
  const look = style === '' ? '' : ` class="${style}"`;
  return `<tspan x="${x}" textLength="${length}"${look}>${escaped(shown.trimStart())}</tspan>`;
}

/** Spaces keep their width only when they do not break. */
function escaped(text: string): string {
  return text
    .replace(/ /g, '\u00a0')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}
