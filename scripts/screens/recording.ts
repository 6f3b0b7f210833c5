/** The recording of the README: what svc shows today, as a picture that moves without a script. */
import { PNG } from 'pngjs';
import { play, promptFor, type Scene, type Size, type Stage } from './play.js';
import { screenOf, type Line, type Run } from './screen.js';

const size: Size = { columns: 84, rows: 26 };

/** What stays on the screen together, below its title. The last one is what a still picture shows. */
const screens: readonly { readonly title: string; readonly lines: readonly string[] }[] = [
  {
    title: 'Ask, and see what it cost. The service is built in: no account, no network.',
    lines: ['export SVC_LOCAL=1', 'svc chat "How do I keep costs down?"'],
  },
  {
    title: 'A ceiling: what may cost more is not sent. A batch goes on where it stopped.',
    lines: [
      'svc generate local/reel "a walk by the sea" --max-cost 5',
      'seq -f "What is exit code %g?" 0 13 > questions.txt',
      'svc batch run questions.txt -m local/guide --max-cost 2 -o answers.jsonl',
      'svc batch run questions.txt -m local/guide --max-cost 20 -o answers.jsonl',
    ],
  },
  {
    title: 'kill -9 in a paid job: the same command goes on, and nothing is paid twice.',
    lines: [
      'svc generate local/canvas "a lighthouse at dusk" -o sea.png & sleep 4; kill -9 $!',
      'svc generate local/canvas "a lighthouse at dusk" -o sea.png',
      'svc usage chart --by model',
    ],
  },
];

const scene: Scene = {
  lines: screens.flatMap(({ lines }) => lines),
  isNew: true,
  secondsApart: 60,
  // A terminal that shows pictures; a job takes long enough to be killed.
  env: { TERM: 'xterm-kitty', SVC_LOCAL: '1', SVC_LOCAL_JOB_TIME: '2m' },
};

const [cellWidth, cellHeight, margin, bar] = [8.4, 18, 16, 34];
const width = Math.ceil(size.columns * cellWidth + 2 * margin);
const height = bar + size.rows * cellHeight + margin;

export async function recording(stage: Stage): Promise<string> {
  const parts = await play(stage, scene, size);
  const steps = await Promise.all(parts.map(stepFrom));
  let next = 0;
  const shown = screens.map(({ title, lines }) => {
    let row = 1;
    const below = steps.slice(next, (next += lines.length)).map((step) => {
      const placed = { ...step, row };
      row += step.output.length + 1;
      return placed;
    });
    if (row > size.rows) throw new Error(`"${title}" has ${row} rows`);
    return { title, steps: below };
  });
  return svgOf(shown);
}

interface Shown {
  readonly title: string;
  readonly steps: readonly (Step & { readonly row: number })[];
}

/** A command being typed, then what it prints. */
interface Step {
  readonly command: Line;
  readonly output: readonly Line[];
  readonly picture?: { readonly png: Buffer; readonly row: number };
  readonly typingMs: number;
  readonly readingMs: number;
}

async function stepFrom(sent: string, index: number): Promise<Step> {
  const { before, png, after } = takePicture(killedAt(sent));
  const row = png && (await screenOf(before, size)).length;
  const [command = [], ...output] = await screenOf(`${before}${after}`, size);
  const letters = promptFor(scene.lines[index] ?? '').length;
  return {
    command,
    output,
    picture: png && row !== undefined ? { png, row } : undefined,
    typingMs: 30 * letters,
    readingMs: 600 + 220 * output.length,
  };
}

/** How far the job was when it was killed differs; so does the sign of its spinner. */
function killedAt(sent: string): string {
  if (sent.includes('kill -9') && !sent.includes('running ·')) {
    throw new Error(`it was killed before it ran:\n${sent}`);
  }
  return sent
    .replace(/[\u2800-\u28ff](\S* running ·) \d+ s/g, '\u2839$1 38 s')
    .replace('\u001b[7m%\u001b[m', '');
}

const pictureRows = 10;

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

/** The last screen stays before the first begins, so that no picture begins empty. */
const introMs = 2500;
/** After the last output of a screen. */
const pauseMs = 1500;

function svgOf(all: readonly Shown[]): string {
  const lengthOf = ({ steps }: Shown) =>
    steps.reduce((sum, { typingMs, readingMs }) => sum + typingMs + readingMs, pauseMs);
  const totalMs = all.reduce((sum, one) => sum + lengthOf(one), introMs);
  const share = (ms: number) => `${((100 * ms) / totalMs).toFixed(2)}%`;
  const rules: string[] = [];
  const groups: string[] = [];
  let startMs = introMs;
  for (const [nth, { title, steps }] of all.entries()) {
    const isLast = nth === all.length - 1;
    const endMs = startMs + lengthOf({ title, steps });
    const show = (name: string, fromMs: number) =>
      rules.push(shownBetween(name, share(fromMs), isLast ? share(introMs) : share(endMs), isLast));
    show(`t${nth}`, startMs);
    const words: Line = [{ text: `# ${title}`, at: 0, width: title.length + 2, style: 'dim' }];
    groups.push(`<g class="s t${nth}">${textOf(words, 0).join('')}</g>`);
    for (const [index, step] of steps.entries()) {
      const name = `${nth}-${index}`;
      const typedMs = startMs + step.typingMs;
      const letters = step.command.reduce((sum, run) => sum + run.width, 0);
      const aside = `transform:translateX(${Math.ceil(letters * cellWidth)}px)`;
      show(`s${name}`, startMs);
      show(`o${name}`, typedMs);
      rules.push(
        `@keyframes c${name}{0%{${aside};animation-timing-function:step-end}` +
          `${share(startMs)}{transform:none;animation-timing-function:steps(${letters})}` +
          `${share(typedMs)},100%{${aside}}}.c${name}{animation-name:c${name};${aside}}`,
      );
      groups.push(
        `<g class="s s${name}">${textOf(step.command, step.row).join('')}`,
        `<rect class="c c${name}" x="${margin}" y="${bar + step.row * cellHeight}" ` +
          `width="${width - 2 * margin}" height="${cellHeight}"/>`,
        `<g class="o o${name}">`,
        ...step.output.flatMap((line, row) => textOf(line, step.row + row + 1)),
        ...(step.picture ? [pictureOf({ ...step.picture, row: step.row + step.picture.row })] : []),
        '</g></g>',
      );
      startMs = typedMs + step.readingMs;
    }
    startMs = endMs;
  }
  const styles = Object.entries(palette).map(([name, style]) => `.${name}{${style}}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
      `width="${width}" height="${height}" role="img" aria-labelledby="t">`,
    '<title id="t">svc in a terminal: a price that is refused, a batch that goes on, a killed job that is paid once</title>',
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

/**
 * Visible for a part of the time; without animation, only the last screen is.
 * @param until its end; of the last screen that of the intro, which it is visible in too
 */
function shownBetween(name: string, from: string, until: string, isLast: boolean): string {
  const [hidden, visible] = ['{visibility:hidden}', '{visibility:visible}'];
  const frames = isLast
    ? `0%${visible}${until}${hidden}${from}${visible}100%${visible}`
    : `0%${hidden}${from}${visible}${until},100%${hidden}`;
  return (
    `@keyframes ${name}{${frames}}` +
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
