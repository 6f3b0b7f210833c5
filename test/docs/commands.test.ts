import { describe, expect, test } from 'vitest';
import { exampleParts, type Options, longFlag } from '../../src/command.js';
import { globalOptions } from '../../src/global-flags.js';
import { entries } from '../../src/commands/index.js';
import { passages } from '../../src/service/engines/manual.js';
import { parseLine as parse } from '../../src/cli/program.js';
import { codeSpans, pages, shellLines } from './pages.js';
import { svcCommands } from './shell-line.js';

const commands = entries.flatMap((entry) => ('commands' in entry ? entry.commands : [entry]));

/** What the parser reports about words after `svc`. */
function usageError(given: readonly string[]): string | undefined {
  return parse(given, entries).refusal;
}

function errorsIn(lines: readonly string[]): string[] {
  const errors: string[] = [];
  for (const line of lines) {
    for (const words of svcCommands(line)) {
      const error = usageError(words);
      if (error) errors.push(`${line}\n  ${error}`);
    }
  }
  return errors;
}

describe('every command line that is shown parses', () => {
  test.each(pages.map((page) => [page.path, page] as const))(
    'every command line in %s parses',
    (_, page) => {
      expect(errorsIn(shellLines(page))).toEqual([]);
    },
  );

  test('every command line in the examples of the commands parses', () => {
    const lines = commands.flatMap(({ examples = [] }) =>
      examples.map((example) => exampleParts(example)[0]),
    );
    expect(lines.flatMap(svcCommands).length).toBeGreaterThanOrEqual(lines.length);
    expect(errorsIn(lines)).toEqual([]);
  });

  test('every command that local/guide suggests parses', () => {
    expect(errorsIn(passages.map(({ command = '' }) => command))).toEqual([]);
  });
});

describe('what running text names is there', () => {
  const words = [...globalFlags(), ...commands.flatMap(({ options = {} }) => flagsIn(options))];
  const known = new Set([...words, '-h', '--help', '-V', '--version']);

  test.each(pages.map((page) => [page.path, page] as const))('the options in %s', (_, page) => {
    const named = codeSpans(page)
      .filter((code) => /^--?[a-zA-Z]/.test(code))
      .flatMap((code) => code.split(/, /).map((part) => part.split(/[ =[]/)[0] ?? ''));
    expect(named.filter((flag) => !known.has(flag))).toEqual([]);
  });

  test.each(pages.map((page) => [page.path, page] as const))('the commands in %s', (_, page) => {
    const errors: string[] = [];
    for (const code of codeSpans(page).filter((one) => one.startsWith('svc '))) {
      for (const given of svcCommands(code)) {
        // Running text may name a command without its arguments, and a model that is then chosen.
        const error = usageError(given);
        if (error && !/: missing argument <|needs a command|missing value: --model/.test(error)) {
          errors.push(`${code}\n  ${error}`);
        }
      }
    }
    expect(errors).toEqual([]);
  });
});

function globalFlags(): string[] {
  return flagsIn(globalOptions);
}

function flagsIn(options: Options): string[] {
  return Object.entries(options).flatMap(([name, option]) => [
    longFlag(name, option),
    ...(option.short ? [`-${option.short}`] : []),
  ]);
}

/**
 * `svc api` has the letters that such commands have everywhere, as `gh api` and curl; the prompt of
 * a batch (-p) is the template that the -p of `svc chat` fills in.
 */
const borrowsLetters = new Set(['api', 'run', 'make', 'plan']);

test('one letter never means two things', () => {
  const meanings = new Map<string, string>();
  const all: [string, Options][] = [
    ['every command', globalOptions],
    ...commands
      .filter(({ name }) => !borrowsLetters.has(name))
      .map((one): [string, Options] => [one.name, one.options ?? {}]),
  ];
  for (const [, options] of all) {
    for (const [name, { short }] of Object.entries(options)) {
      if (!short) continue;
      expect(meanings.get(short) ?? name).toBe(name);
      meanings.set(short, name);
    }
  }
});

test('no command spells an option of its own like one that every command has', () => {
  const everywhere = new Set(globalFlags());
  for (const { name, options = {} } of commands) {
    const clashes = flagsIn(options).filter((flag) => everywhere.has(flag));
    // Theirs are older, and `svc api` prints no table.
    const own: Readonly<Record<string, string[]>> = { embed: ['--raw'], api: ['--header'] };
    expect({ name, clashes }).toEqual({ name, clashes: own[name] ?? [] });
  }
});

test.each([
  ['svc chat "a | b" | jq .cost', [['chat', 'a | b']]],
  ['svc login && svc config use work', [['login'], ['config', 'use', 'work']]],
  ['$EDITOR "$(svc config path)"', [['config', 'path']]],
  ["echo 'source <(svc completion bash)' >> ~/.bashrc", [['completion', 'bash']]],
  ['npm ci && npx svc --local chat hi  # try it', [['--local', 'chat', 'hi']]],
  ['svc api GET /v1/x -f input[]=one', [['api', 'GET', '/v1/x', '-f', 'input[]=one']]],
])('svcCommands finds them in %s', (line, words) => {
  expect(svcCommands(line)).toEqual(words);
});
