/** What a person sees: docs/screens/ and the recording of the README are played again and compared. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { beforeAll, describe, expect, test } from 'vitest';
import { screenFiles, widths } from '../../scripts/screens/files.js';
import { screenOf, textOf } from '../../scripts/screens/screen.js';
import { scenes } from '../../scripts/screens/scenes.js';
import { installed } from '../../test/bin/package.js';
import { root } from '../../test/docs/pages.js';

const kept = (path: string) => readFileSync(join(root, 'docs', path), 'utf8');
const pathOf = (name: string) => (name === 'recording' ? 'recording.svg' : `screens/${name}.txt`);
const paths = ['recording', ...Object.keys(scenes)].map(pathOf);

// The pseudo-terminal is that of Linux: script of util-linux.
describe.runIf(process.platform === 'linux')('what npm run screens recorded', () => {
  const played = new Map<string, unknown>();
  beforeAll(async () => {
    const stage = { package: await installed(), scripts: join(root, 'scripts/screens') };
    const failed = (path: string, error: unknown) => played.set(path, error);
    const files = await screenFiles(stage, () => true, failed, widths);
    for (const { path, text } of files) played.set(path, text);
  }, 300_000);

  test.each(paths)('%s is what svc shows today', (path) => {
    expect(played.get(path)).toBe(kept(path));
  });
});

test('there are at least forty screens, and no file without a scene', () => {
  expect(paths.length).toBeGreaterThan(40);
  const files = readdirSync(join(root, 'docs/screens')).map((name) => `screens/${name}`);
  expect(files.sort()).toEqual(paths.filter((path) => path.endsWith('.txt')).sort());
});

test('each screen is there at each width, and no line is wider', () => {
  for (const path of paths.filter((one) => one.endsWith('.txt'))) {
    const titles = [...kept(path).matchAll(/^─+ (\d+) columns\n([^]*?)(?=^─+ \d|(?![^]))/gm)];
    expect([path, ...titles.map(([, columns]) => Number(columns))]).toEqual([path, ...widths]);
    for (const [, columns, text = ''] of titles) {
      const longest = Math.max(...text.split('\n').map((line) => stringWidth(line)));
      if (scenes[path.slice(8, -4)]?.withStyles) continue;
      expect(longest, path).toBeLessThanOrEqual(Number(columns));
    }
  }
});

test('the recording is small enough to be loaded with a page', () => {
  expect(Buffer.byteLength(kept('recording.svg'))).toBeLessThan(60_000);
});

test('a screen shows what is left after lines are drawn again, with its styles', async () => {
  const sent =
    'one\r\n\u001b[36m⠋\u001b[39m busy\u001b[1G\u001b[0K\u001b[1;31mtwo\u001b[m three\r\n\r\n';
  const lines = await screenOf(sent, { columns: 20, rows: 2 });
  expect(lines.map(textOf)).toEqual(['one', 'two three']);
  expect(lines[1]?.map(({ style, at, width }) => [style, at, width])).toEqual([
    ['bold red', 0, 3],
    ['', 3, 6],
  ]);
});
