import { describe, expect, test } from 'vitest';
import { command, type Entry, type Option } from '../../src/command.js';
import { globalFlagsFrom, globalOptions } from '../../src/global-flags.js';
import { run, words } from '../helpers/run.js';
import { parseLine as parse } from '../../src/cli/program.js';

/** Every kind of option and argument once. */
const everyKind: readonly Entry[] = [
  {
    ...command('ask', 'ask', {
      args: [{ name: 'words', summary: 'what', many: true }],
      options: {
        system: { type: 'text', short: 's', value: 'TEXT', summary: 'system' },
        attach: { type: 'text', short: 'a', value: 'FILE', summary: 'attach', many: true },
        format: { type: 'text', value: 'FORMAT', summary: 'format', choices: ['one', 'two'] },
        kinds: { type: 'text', value: 'KIND', summary: 'kinds', choices: ['x', 'y'], many: true },
        extract: { type: 'switch', short: 'x', summary: 'extract' },
        stream: { type: 'switch', negated: true, summary: 'do not stream' },
        warmth: { type: 'number', value: 'N', summary: 'warmth', min: 0, max: 2 },
        maxTokens: { type: 'integer', value: 'N', summary: 'tokens', min: 1 },
        count: { type: 'integer', value: 'N', summary: 'any' },
        poll: { type: 'duration', value: 'TIME', summary: 'poll' },
      },
    }),
    heading: 'Text',
  },
  {
    name: 'group',
    heading: 'Account',
    summary: 'a group',
    commands: [
      command('get', 'get', {
        args: [
          { name: 'kind', summary: 'kind', required: true, choices: ['red', 'blue'] },
          { name: 'rest', summary: 'rest' },
        ],
      }),
      command('list', 'list', {
        options: {
          all: { type: 'switch', summary: 'all' },
          page: { type: 'integer', value: 'N', summary: 'page' },
          limit: { type: 'integer', value: 'N', summary: 'limit' },
          sort: { type: 'text', value: 'ORDER', summary: 'sort', choices: ['age', 'name'] },
          wait: { type: 'switch', negated: true, summary: 'do not wait' },
        },
        conflicts: [
          ['--json', '--all'],
          ['--no-wait', '--sort name'],
        ],
        needs: [['--page', '--limit', '--all']],
      }),
    ],
  },
];

const parsed = (line: string) => parse(words(line), everyKind).invocation;

describe('a command line', () => {
  const every =
    "ask a 'b c' -s sys -a f1 --attach f2 --format two --kinds x --kinds=y -x --no-stream " +
    '--warmth 0.5 --max-tokens=3 --count -7 --poll 1.5m d';
  test.each<[line: string, path: string[], args: object, options: object]>([
    ['ask', ['ask'], { words: [] }, { attach: [], kinds: [], stream: true }],
    [
      every,
      ['ask'],
      { words: ['a', 'b c', 'd'] },
      {
        system: 'sys',
        attach: ['f1', 'f2'],
        format: 'two',
        kinds: ['x', 'y'],
        extract: true,
        stream: false,
        warmth: 0.5,
        maxTokens: 3,
        count: -7,
        poll: 90_000,
      },
    ],
    ['group list --no-wait --sort age', ['group', 'list'], {}, { wait: false, sort: 'age' }],
    ['group list --page 2 --all', ['group', 'list'], {}, { page: 2, all: true }],
    ['group get red', ['group', 'get'], { kind: 'red', rest: undefined }, {}],
    [
      'ask -x -- --json -x --no-stream',
      ['ask'],
      { words: ['--json', '-x', '--no-stream'] },
      { extract: true, stream: true },
    ],
  ])('svc %s is read', (line, path, args, options) => {
    const invocation = parsed(line);
    expect(invocation).toMatchObject({ path, args, options });
    expect(invocation?.declaration.name).toBe(path.at(-1));
  });

  test.each(['-', '-v is loud', '-quick', '--json', '--no-input', '--', '-x'])(
    'takes the value %j of an option as it is',
    (value) => {
      const { invocation } = parse(['ask', '-s', value, 'hi'], everyKind);
      expect(invocation?.options['system']).toBe(value);
      expect(invocation?.args['words']).toEqual(['hi']);
      const flags = globalFlagsFrom(invocation?.globals ?? {});
      expect(flags).toMatchObject({ verbose: false, quiet: false, json: false, input: true });
    },
  );

  test.each(['-qx', '-xqssys', '-qxs sys'])('takes letters together: %s', (line) => {
    const invocation = parsed(`ask ${line} hi`);
    expect(invocation).toMatchObject({ options: { extract: true }, globals: { quiet: true } });
    expect(invocation?.args['words']).toEqual(['hi']);
  });
});

describe('a flag that means the same everywhere', () => {
  const values: Record<Option['type'], string | undefined> = {
    switch: undefined,
    text: 'value',
    number: '1',
    integer: '1',
    duration: '5s',
  };
  const flags = Object.entries<Option>(globalOptions).flatMap(([name, option]) => {
    const long = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const flag = option.type === 'switch' && option.negated ? `--no-${long}` : `--${long}`;
    const value = values[option.type];
    const typed = value === undefined ? flag : `${flag} ${value}`;
    const short = option.short ? [{ name, typed: `-${option.short}` }] : [];
    return [{ name, typed }, ...(value ? [{ name, typed: `${flag}=${value}` }] : []), ...short];
  });

  test.each(flags)('$typed may stand before, within and after a command', ({ name, typed }) => {
    const none = globalFlagsFrom(parsed('group get red')?.globals ?? {});
    const places = [
      `${typed} group get red`,
      `group ${typed} get red`,
      `group get ${typed} red`,
      `group get red ${typed}`,
    ];
    const seen = places.map((line) => globalFlagsFrom(parsed(line)?.globals ?? {}));
    for (const flags of seen) expect(flags).toEqual(seen[0]);
    expect([name, seen[0]]).not.toEqual([name, none]);
  });
});

describe('a refusal is one sentence that names what is wrong and what would be right', () => {
  const dashed = 'for text that begins with a dash, put -- before it';
  const badTimeout = '--timeout: "never" is not a duration such as 30s or 5m';
  test.each([
    ['ask --format three', '--format: "three" is not one of one, two'],
    ['ask --kinds x --kinds z', '--kinds: "z" is not one of x, y'],
    ['ask --warmth 3', '--warmth: "3" is not a number from 0 to 2'],
    ["ask --warmth ''", '--warmth: "" is not a number from 0 to 2'],
    ['ask --max-tokens 0', '--max-tokens: "0" is not a whole number of at least 1'],
    ['ask --count 1.5', '--count: "1.5" is not a whole number'],
    ['ask --count 9007199254740993', '--count: "9007199254740993" is not a whole number'],
    ['ask --poll 0', '--poll: "0" is not a duration such as 30s or 5m'],
    ['--timeout never ask', badTimeout],
    ['ask -s', 'missing value: --system <TEXT>'],
    ['ask -x5', 'unknown option -5'],
    ['ask --sytem x', 'unknown option --sytem; did you mean --system?'],
    ['ask --max-price 2', 'unknown option --max-price; did you mean --max-cost?'],
    ['ask --budget=2 x', 'unknown option --budget; did you mean --max-cost?'],
    ['ask --extract=yes', '--extract does not take a value'],
    ["ask '-is it'", `unknown option -i; ${dashed}`],
    ["ask '-how is it'", `unknown option "-how is it"; ${dashed}`],
    ["ask '-s it'", `unknown option "-s it"; ${dashed}`],
    ['group get', 'svc group get: missing argument <kind>'],
    ['group get green', '<kind>: "green" is not one of red, blue'],
    ['group get red a b', 'too many arguments: "b"'],
    // Of several mistakes in values, the first; one in a value comes before a wrong number of them.
    ['group get green a b', '<kind>: "green" is not one of red, blue'],
    ['ask --max-tokens 0 --timeout never', '--max-tokens: "0" is not a whole number of at least 1'],
    ['ask --timeout never --max-tokens 0', badTimeout],
    ['group gat', 'unknown verb "gat"; did you mean get?'],
    ['exit-code', 'unknown command "exit-code"; did you mean exit-codes?'],
    ['-q', 'svc needs a command'],
    ['group list --json --all', '--json and --all cannot be used together'],
    // What filters JSON prints JSON.
    ['group list --all --jq .', '--jq and --all cannot be used together'],
    ['group list --sort=name --no-wait', '--no-wait and --sort name cannot be used together'],
    ['group list --page 2', '--page needs --limit or --all'],
    // An option that takes one value is typed once, wherever it stands.
    ['ask -s a --system a', '--system is given twice, but takes one value'],
    ['--profile a group get red --profile b', '--profile is given twice, but takes one value'],
  ])('svc %s is refused', (line, sentence) => {
    expect(parse(words(line), everyKind)).toEqual(expect.objectContaining({ refusal: sentence }));
    expect(parsed(line)).toBeUndefined();
  });

  test.each([
    ['--timeout 5 chat --colour', 'svc chat --help'],
    ['models lits', 'svc models --help'],
    ['-m x chat', 'svc --help'],
  ])('svc %s points to %s', async (line, hint) => {
    expect((await run(line)).stderr).toMatch(new RegExp(`\nhint: ${hint}\n$`));
  });
});
