import { describe, expect, it, test } from 'vitest';
import type { Command, Option } from '../../src/command.js';
import { exits } from '../../src/exit-codes.js';
import { globalFlagsFrom, globalOptions } from '../../src/global-flags.js';
import { variables } from '../../src/cli/topics.js';
import { entries } from '../../src/commands/index.js';
import { timeoutsFor } from '../../src/http/deadline.js';
import { parseDuration } from '../../src/lib/duration.js';
import { kebabCase } from '../../src/lib/names.js';
import { run, words } from '../helpers/run.js';
import { parseLine as parse } from '../../src/cli/program.js';

describe('the commands of svc', () => {
  const commands = entries.flatMap((entry): readonly Command[] =>
    'commands' in entry ? entry.commands : [entry],
  );
  const options = [
    ...Object.entries<Option>(globalOptions),
    ...commands.flatMap((one) => Object.entries<Option>(one.options ?? {})),
  ];

  test('have descriptions that are wrapped by the screen alone', () => {
    const texts = commands.map(({ description = '' }) => description);
    expect(texts.filter((text) => /[^.:]\n/.test(text))).toEqual([]);
  });

  test('give a name one letter, or none, whatever the command', () => {
    for (const [name, { short }] of options) {
      // -h and -V are those of help and of the version.
      if (short !== undefined)
        expect([name, short]).toEqual([name, expect.stringMatching(/^[A-UW-Za-gi-z]$/)]);
      const others = options.filter(([other]) => other === name).map(([, other]) => other.short);
      expect([name, new Set(others)]).toEqual([name, new Set([short])]);
    }
  });

  test('name only options that they have where some exclude or need others', () => {
    for (const { name, options: own, conflicts = [], needs = [] } of commands) {
      const all = Object.entries<Option>({ ...globalOptions, ...own });
      const flags = all.flatMap(([option, { short }]) => [
        `--${kebabCase(option)}`,
        `-${short ?? ''}`,
      ]);
      for (const typed of [...conflicts, ...needs].flat()) {
        const flag = typed.replace(/ .*$/, '').replace(/^--no-/, '--');
        expect([name, flags.includes(flag) ? flag : undefined]).toEqual([name, flag]);
      }
    }
  });

  test('distinguish --input of a body from --no-input', () => {
    const { invocation } = parse(words('api POST /v1/x --input body.json --no-input'), entries);
    expect(invocation?.options['input']).toBe('body.json');
    expect(globalFlagsFrom(invocation?.globals ?? {}).input).toBe(false);
    const without = parse(words('api POST /v1/x --no-input'), entries).invocation;
    expect(without?.options['input']).toBeUndefined();
  });
});

test('the limits that help shows are those in force', () => {
  expect({
    connectMs: parseDuration(globalOptions.connectTimeout.default),
    firstByteMs: parseDuration(globalOptions.firstByteTimeout.default),
    idleMs: parseDuration(globalOptions.idleTimeout.default),
  }).toEqual(timeoutsFor(false));
  const slow = / (\w+) where it is created first$/.exec(globalOptions.firstByteTimeout.summary);
  expect(parseDuration(slow?.[1] ?? '')).toBe(timeoutsFor(true).firstByteMs);
});

test.each([
  ['exit-codes', Object.values(exits)],
  ['environment', variables],
])('svc help %s prints each of them with its meaning', async (topic, rows) => {
  const { stdout, stderr, code } = await run(`help ${topic}`);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const words = stdout.replace(/\s+/g, ' ');
  for (const row of rows) expect(words).toContain(` ${row.join(' ')} `);
});

it('a group without a verb is wrong usage, and no help on stdout', async () => {
  const [message, hint] = ['svc skills needs a verb: add', 'svc skills --help'];
  const wrong = { stdout: '', code: 2 };
  const stderr = `error: ${message}\nhint: ${hint}\n`;
  expect(await run('skills')).toMatchObject({ ...wrong, stderr });
  const asJson = await run('skills --json', { tty: true });
  expect(asJson).toMatchObject(wrong);
  const error = { exit: 2, code: 'usage', message, hint };
  expect(JSON.parse(asJson.stderr)).toEqual({ error });
});

it('shows people the verbs of a group with what they do, before the error', async () => {
  const onTerminal = { tty: true, env: { NO_COLOR: '1' } };
  const { stdout, stderr, code } = await run('models', onTerminal);
  const help = await run('models --help', onTerminal);
  expect(help).toMatchObject({ stderr: '', code: 0 });
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr.startsWith(help.stdout)).toBe(true);
  expect(stderr.slice(help.stdout.length)).toMatch(/^\n?error: svc models needs a verb: list, /);
});
