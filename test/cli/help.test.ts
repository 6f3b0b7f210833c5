import { describe, expect, it } from 'vitest';
import { command, type Entry, integer, text } from '../../src/command.js';
import { helpText } from '../../src/cli/help.js';
import { entries } from '../../src/commands/index.js';
import { run } from '../helpers/run.js';

const paint = command('paint', 'paint a wall', {
  description: 'Paint a wall in one colour, as often as it needs.\nIt dries by itself.',
  args: [{ name: 'wall', summary: 'which one', required: true, choices: ['north', 'south'] }],
  options: {
    colour: text('NAME', 'the paint', { short: 'c', default: 'red' }),
    maxCoats: integer('N', 'how many coats at most', { heading: 'Effort' }),
  },
  examples: ['svc paint north # a red wall', 'svc paint south -c "light blue" # a blue wall'],
});
const declared: readonly Entry[] = [
  { ...paint, heading: 'Media' },
  {
    name: 'walls',
    heading: 'Text',
    summary: 'walls of the house',
    commands: [paint, command('list', 'list them', {})],
  },
];
const plain = (path: string, width: number) =>
  helpText(path.split(' '), declared, width, (_, words) => words);

describe('the help of a command', () => {
  it('has usage, description and examples before arguments and options', () => {
    expect(plain('paint', 80)).toBe(`Usage: svc paint [options] <wall>

Paint a wall in one colour, as often as it needs.
It dries by itself.

Examples:
  svc paint north                   a red wall
  svc paint south -c "light blue"   a blue wall

Arguments:
  wall                 which one (one of north, south)

Options:
  -c, --colour <NAME>  the paint (default: red)

Effort:
      --max-coats <N>  how many coats at most

Options of every command (--json, --local, --quiet …): svc help options
`);
  });

  it('fits a narrow terminal, where example commands can still be copied', () => {
    const help = plain('paint', 32);
    expect(help).toContain(`
Examples:
  # a red wall
  svc paint north
  # a blue wall
  svc paint south -c \\
      "light blue"
`);
    expect(help).toContain(`
  -c, --colour <NAME>
          the paint (default:
          red)
`);
  });

  it('has its titles in bold on a terminal, and under FORCE_COLOR', async () => {
    const bold = (title: string) => `\u001b[1m${title}:\u001b[22m`;
    for (const options of [{ tty: true }, { env: { FORCE_COLOR: '1' } }]) {
      const { stdout } = await run('balance --help', { ...options, colour: true });
      expect(stdout.startsWith(`${bold('Usage')} svc balance `)).toBe(true);
      expect(stdout).toContain(`\n${bold('Options')}\n`);
    }
    expect((await run('balance --help')).stdout).not.toContain('\u001b');
  });
});

it('the help of a group has its verbs, and an example or two', () => {
  expect(plain('walls', 80)).toBe(`Usage: svc walls <verb> [options]

Walls of the house.

Examples:
  svc paint north   a red wall

Verbs:
  paint <wall>  paint a wall
  list          list them

\`svc help walls VERB\` describes a verb.
`);
});

it('the general help fits a screen, and names every command and topic', async () => {
  const { stdout } = await run('');
  expect(stdout.split('\n').length).toBeLessThanOrEqual(65);
  for (const { name } of entries) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
  expect(stdout).toMatch(/, or options, exit-codes, errors, environment\.\n$/);
});

it.each([...entries.map(({ name }) => name), '', 'options', 'exit-codes', 'errors', 'environment'])(
  'svc %s --help fits 40, 80 and 120 columns',
  async (name) => {
    for (const columns of [40, 80, 120]) {
      const env = { NO_COLOR: '1' };
      const { stdout, code } = await run([...name.split(' '), '--help'].filter(Boolean), {
        tty: true,
        columns,
        env,
      });
      expect(code).toBe(0);
      // One word of an example may be longer.
      const usable = stdout
        .split('\n')
        .filter((line) => !/^ {6}(\S*(['"]).*\2|\S+)( \\)?$/.test(line));
      expect(usable.filter((line) => line.length > columns)).toEqual([]);
    }
  },
);

it('svc help options has what every command takes, in place of each command', async () => {
  const { stdout } = await run('help options');
  expect(stdout).toMatch(/^The options of every command\.\n\nOutput:\n {6}--json /);
  expect(stdout).toMatch(/\n {6}--retry-wait <TIME> /);
  expect((await run('chat --help')).stdout).not.toContain('--retry-wait');
});
