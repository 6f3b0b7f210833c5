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
      // `svc api -H` is that of curl; --header of every command has no letter.
      if (name === 'header') continue;
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
  const slow = / (\w+) where it has to be made first$/.exec(globalOptions.firstByteTimeout.summary);
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

const groups = entries.filter((entry) => 'commands' in entry);

test.each(groups.map((group) => [group.name, group] as const))(
  'svc %s alone lists where it can, and shows its help where not',
  async (name, { bare, commands }) => {
    expect(bare).toBe(commands.find((one) => one.name === 'list'));
    for (const flags of [[], ['--json']]) {
      const { code, stdout } = await run(['--local', name, ...flags], { tty: true });
      expect(code).toBe(0);
      const { invocation } = parse([name, ...flags], entries);
      expect(invocation?.declaration).toBe(bare);
      if (bare) continue;
      const help = await run(['--local', name, ...flags, '--help'], { tty: true });
      expect(stdout).toBe(help.stdout);
    }
  },
);

test.each([
  ['models ls --limit 3', 'unknown verb "ls"; did you mean list?'],
  ['models --type image show', 'the verb show stands before its options'],
  ['jobs rm', 'unknown verb "rm"'],
  ['voices rm v1', 'unknown verb "rm"; did you mean delete?'],
  ['config rm model', 'unknown verb "rm"; did you mean unset?'],
  ['tickets open', 'unknown verb "open"; did you mean create?'],
  ['tickets get', 'unknown verb "get"; did you mean show?'],
  ['skills new', 'unknown verb "new"; did you mean add?'],
  ['alias constructor', 'unknown verb "constructor"'],
  ['ls', 'unknown command "ls"; did you mean jobs?'],
  ['ask hi', 'unknown command "ask"; did you mean chat?'],
])('svc %s sends nothing, and says what is meant', async (line, sentence) => {
  const { stdout, stderr, code } = await run(`--local ${line}`);
  expect({ stdout, code, error: stderr.split('\n')[0] }).toEqual({
    stdout: '',
    code: 2,
    error: `error: ${sentence}`,
  });
});

it('the help of a group shows what is for scripts after what is for people', async () => {
  const { stdout } = await run('help models');
  expect(stdout).toMatch(/^Usage: svc models \[verb\] /);
  expect(stdout).toMatch(/\nVerbs:\n {2}list .*\n {2}show .*\n\nMore:\n {2}all /);
  expect(stdout).toContain('`svc models` alone is `svc models list`.');
});
