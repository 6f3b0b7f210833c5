import { expect, it } from 'vitest';
import { entries } from '../../src/commands/index.js';
import { run } from '../helpers/run.js';

const groups = entries.flatMap((entry) =>
  'commands' in entry ? [[entry.name, entry.commands.map(({ name }) => name)] as const] : [],
);

it.each(groups)(
  'svc %s without a verb is wrong usage, and no help on stdout',
  async (name, verbs) => {
    const needs = `svc ${name} needs a verb: ${verbs.join(', ')}`;
    const hint = `svc ${name} --help`;
    expect(await run(name)).toMatchObject({
      stdout: '',
      stderr: `error: ${needs}\nhint: ${hint}\n`,
      code: 2,
    });
    const { stdout, stderr, code } = await run([name, '--json'], { tty: true });
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(JSON.parse(stderr)).toEqual({ error: { exit: 2, code: 'usage', message: needs, hint } });
  },
);

it('shows people the verbs of a group with what they do, before the error', async () => {
  const { stdout, stderr, code } = await run('models', { tty: true });
  const help = await run('models --help', { tty: true });
  expect(help).toMatchObject({ stderr: '', code: 0 });
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr.startsWith(help.stdout)).toBe(true);
  expect(stderr.slice(help.stdout.length)).toMatch(/^\n?error: svc models needs a verb: list, /);
});
