import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, type Entry, flagsOf, integer, type Option, text } from '../../src/command.js';
import { helpText } from '../../src/cli/help.js';
import { topics } from '../../src/cli/topics.js';
import { chat } from '../../src/commands/chat/index.js';
import { entries } from '../../src/commands/index.js';
import { en } from '../../src/texts/en/index.js';
import { homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

const paint = command('paint', 'paint a wall', {
  description: 'Paint a wall in one colour, as often as it needs.\nIt dries by itself.',
  args: [{ name: 'wall', summary: 'which one', required: true, choices: ['north', 'south'] }],
  options: {
    colour: text('NAME', 'the paint', { short: 'c', default: 'red' }),
    maxCoats: integer('N', 'how many coats at most', { heading: 'Limits' }),
  },
  examples: ['svc paint north # a red wall', 'svc paint south -c "light blue" # a blue wall'],
});
const declared: readonly Entry[] = [
  { ...paint, heading: 'Media' },
  {
    name: 'walls',
    heading: 'Text',
    summary: 'walls of the house',
    commands: [
      paint,
      command('list', 'list them', {}),
      command('repaint', 'paint them all', { isMore: true }),
    ],
  },
];
const plain = (path: string, width: number, isFull = false) =>
  helpText({ path: path.split(' '), isFull, texts: en }, declared, width, (_, words) => words);

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

Limits:
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

More:
  repaint       paint them all

\`svc help walls VERB\` explains a verb.
`);
});

describe('the general help', () => {
  const namesIn = (text: string) =>
    Array.from(text.matchAll(/^ {2}([a-z-]+) +\S/gm), ([, one]) => one);

  it('fits a screen with what is used every day', async () => {
    const { stdout } = await run('');
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(45);
    const everyday = entries.filter(({ isMore }) => !isMore).map(({ name }) => name);
    expect(new Set(namesIn(stdout))).toEqual(new Set(['svc', 'cat', ...everyday]));
    for (const name of ['chat', 'image', 'generate', 'jobs', 'balance', 'usage', 'init'])
      expect(everyday).toContain(name);
  });

  it('has every command and topic with --all, and the aliases and programs of the user', async () => {
    const aliases = { short: ['chat', '-s', 'Be brief.'] };
    const folder = testFolder();
    writeFileSync(join(folder, 'svc-demo'), '', { mode: 0o755 });
    writeFileSync(join(folder, 'svc-text'), '', { mode: 0o644 });
    const env = { SVC_CONFIG_DIR: homeWith({ aliases }), PATH: folder };
    const { stdout } = await run('help --all', { env });
    const all = [...entries, ...topics].map(({ name }) => name);
    expect(new Set(namesIn(stdout))).toEqual(new Set(['svc', 'cat', ...all, 'short', 'demo']));
    expect(stdout).toContain("\nYour aliases:\n  short          svc chat -s 'Be brief.'\n");
    expect(stdout).toContain(`\nYour extensions:\n  demo           ${join(folder, 'svc-demo')}\n`);
    expect((await run('--help --all', { env })).stdout).toBe(stdout);
  });
});

describe('the help of a command with many options', () => {
  it('has the everyday ones, and says how to list the others', async () => {
    const { stdout } = await run('chat --help');
    const listed = Array.from(stdout.matchAll(/^ {2}(?: {4}|-., )(--[a-z-]+)/gm), ([, one]) => one);
    expect(listed).toHaveLength(10);
    expect(stdout).toMatch(/\nAll \d+ options, by topic: svc help chat --all\n/);
  });

  it('has all of them by topic with --all, however it is asked for', async () => {
    const { stdout } = await run('chat --help --all');
    for (const option of Object.entries<Option>(chat.options))
      expect(stdout).toContain(flagsOf(...option));
    expect(stdout).toMatch(/\n\nReasoning:\n/);
    for (const line of ['help chat --all', 'help --all chat', 'chat --all -h'])
      expect(await run(line)).toMatchObject({ code: 0, stdout });
    const { stdout: ofModel, code } = await run('--local generate local/canvas --help --all');
    expect({ code, ofModel }).toEqual({
      code: 0,
      ofModel: expect.stringMatching(/--webhook-url[^]*aspect_ratio/),
    });
  });

  it('is all that --all is for', async () => {
    for (const line of ['chat --all hi', 'chat help --all'])
      expect(await run(line)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('unknown option --all'),
      });
  });
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
