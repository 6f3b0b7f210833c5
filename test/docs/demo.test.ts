import { expect, test } from 'vitest';
import { passages } from '../../src/service/engines/manual.js';
import { run } from '../helpers/run.js';
import { pages } from './pages.js';
import { svcCommands } from './shell-line.js';

const readme = pages.find(({ path }) => path === 'README.md')?.text ?? '';
const [, line = '', shown = ''] = /^`{4}console\n\$ (.*)\n([^]*?)\n^`{4}$/m.exec(readme) ?? [];

/** The answer, the other topics it names, and the line on tokens and money. */
function takeApart(output: string) {
  const [answer, rest = ''] = output.trimEnd().split(/\nSee also: /);
  const [titles = '', cost] = rest.split('\n');
  return { answer, titles: Array.from(titles.matchAll(/"([^"]+)"/g), ([, title]) => title), cost };
}

test('the demo of the README is what a fresh machine prints', async () => {
  const [words = []] = svcCommands(line);
  const { stdout, stderr, code } = await run(words, { tty: true, env: { NO_COLOR: '1' } });
  expect(code).toBe(0);
  const demo = takeApart(shown);
  const real = takeApart(stdout + stderr);
  expect(demo.answer).toBe(real.answer);
  // Another topic that comes near, or a word more in a title, does not invalidate the demo.
  expect(demo.titles).toHaveLength(real.titles.length);
  expect(passages.map(({ title }) => title)).toEqual(expect.arrayContaining(demo.titles));
  const cost = /^\d+ in, \d+ out tokens · 0\.\d+ RUB · balance 999\.\d\d RUB$/;
  expect(demo.cost).toMatch(cost);
  expect(real.cost).toMatch(cost);
});

test('the first command of the README asks what the demo shows', () => {
  const [, first = ''] = /^```sh\n(.*)\n```$/m.exec(readme) ?? [];
  expect(first).toContain('npm ci && npx svc --local chat ');
  expect(svcCommands(first)).toEqual(svcCommands(line));
});
