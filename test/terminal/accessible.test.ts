import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { run, type RunOptions } from '../helpers/run.js';

/** What draws again; colours are left. */
const drawing = /\r(?!\n)|\u001b\[[\d;?]*[A-Za-ln-z]/;
const typing = (...typed: NonNullable<RunOptions['typed']>) => ({ typed });

const screens: readonly [line: string, shown: RegExp, more: RunOptions][] = [
  ['chat "How do I cancel a job?"', /^```sh$/m, {}],
  ['generate image x -o FOLDER/', /^downloading( \S+ kB of \S+ kB)?$/m, {}],
  ['chat -i -m local/echo', /^hello$/m, typing(['> ', 'hello\r'], ['RUB', '/exit\r'])],
  ['init', /^Ask local\/guide .*skips\): $/m, typing(['Ask', '\r'])],
];

it.each(screens)(
  'ACCESSIBLE and the setting keep `svc %s` from drawing anything again',
  async (line, shown, more) => {
    const home = testFolder();
    const screen = { tty: true, colour: true, columns: 80, ...more };
    const by = async (options: RunOptions) => {
      const { stdout, stderr } = await run(`--local ${line.replace('FOLDER', testFolder())}`, {
        ...screen,
        ...options,
      });
      return stdout + stderr;
    };
    expect(await run('config set accessible yes', { home })).toMatchObject({ code: 0 });
    for (const options of [{ env: { ACCESSIBLE: '1' } }, { home }]) {
      const text = await by(options);
      expect(text).not.toMatch(drawing);
      expect(text).toMatch(shown);
    }
  },
);

it('ACCESSIBLE=0 wins over the setting', async () => {
  const home = testFolder();
  await run('config set accessible on', { home });
  const screen = { tty: true, home, env: { ACCESSIBLE: '0' } };
  const { stderr } = await run(`--local generate image x -o ${testFolder()}/`, screen);
  expect(stderr).toMatch(drawing);
});

it('the setting takes no empty value for on', async () => {
  const refused = { code: 2, stderr: 'error: accessible must be on or off\n' };
  expect(await run(['config', 'set', 'accessible', ''])).toMatchObject(refused);
});

it('ACCESSIBLE replaces the symbols of doctor by words', async () => {
  const screen = { tty: true, env: { ACCESSIBLE: '1' } };
  const { stdout } = await run('--local doctor --all', screen);
  expect(stdout).toMatch(/^key +ok /m);
  expect(stdout).not.toMatch(/[✓✗]/);
});
