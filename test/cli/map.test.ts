import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { longFlag } from '../../src/command.js';
import { exits } from '../../src/exit-codes.js';
import { globalOptions } from '../../src/global-flags.js';
import { commandsIn, mapOf } from '../../src/cli/map.js';
import { CommandMap } from '../../src/command-map.js';
import { topics, variables } from '../../src/cli/topics.js';
import { entries } from '../../src/commands/index.js';
import { root } from '../docs/pages.js';
import { run } from '../helpers/run.js';

const published: object = JSON.parse(readFileSync(join(root, 'docs/map.schema.json'), 'utf8'));
const fits = new Ajv2020().compile(published);

/** The map that svc prints, checked against the published schema. */
async function printed(line: string): Promise<CommandMap> {
  const { stdout, stderr, code } = await run(line);
  expect({ line, stderr, code }).toEqual({ line, stderr: '', code: 0 });
  const map: unknown = JSON.parse(stdout);
  fits(map);
  expect({ line, errors: fits.errors }).toEqual({ line, errors: null });
  return CommandMap.parse(map);
}

const pathsIn = ({ commands = [] }: CommandMap) => commands.map(({ path }) => path);

describe('svc help --json', () => {
  it('has every command, option, exit code and variable that is declared', async () => {
    const map = await printed('help --json');
    const declared = commandsIn(entries);
    expect(pathsIn(map)).toEqual(declared.map(({ path }) => path));
    const flagsOf = declared.map(({ command: { options = {} } }) =>
      Object.entries(options).map(([name, option]) => longFlag(name, option)),
    );
    expect(map.commands?.map(({ options }) => options.map(({ flag }) => flag))).toEqual(flagsOf);
    const everywhere = Object.entries(globalOptions).map(([name, one]) => longFlag(name, one));
    expect(map.options?.map(({ flag }) => flag)).toEqual([...everywhere, '--help']);
    expect(map.exitCodes?.map(({ code }) => code)).toEqual(Object.values(exits).map(([n]) => n));
    expect(map.environment).toHaveLength(variables.length);
    expect(map.version).toBe('0.0.0-test');
  });

  it('says what a value must be, what excludes what, and what an example is for', async () => {
    const [chat] = (await printed('help --json chat')).commands ?? [];
    const option = (name: string) => chat?.options.find(({ flag }) => flag === name);
    expect(option('--temperature')).toMatchObject({ type: 'number', value: 'N', min: 0, max: 2 });
    expect(option('--format')).toMatchObject({
      choices: ['chat', 'messages', 'responses'],
      default: 'chat',
      many: false,
    });
    expect(option('--model')).toMatchObject({ short: '-m', type: 'text', many: true });
    expect(option('--no-stream')).toMatchObject({ type: 'switch', many: false });
    expect(chat?.conflicts).toContainEqual({ option: '--json', others: ['--events'] });
    expect(chat?.needs).toContainEqual({
      option: '--tool-choice',
      others: ['--tool', '--mcp', '--tool-definitions'],
    });
    expect(chat?.examples[0]).toEqual({
      command: 'svc --local chat "What can you do?"',
      purpose: 'offline, no account',
    });
    const [completion] = (await printed('help --json completion')).commands ?? [];
    expect(completion?.arguments).toMatchObject([
      { required: true, choices: ['bash', 'zsh', 'fish', 'powershell'] },
    ]);
  });

  it('says which fields the JSON has, with their types', async () => {
    const [chat] = (await printed('help --json chat')).commands ?? [];
    expect(chat?.fields).toMatchObject({
      text: 'string',
      complete: 'boolean?',
      'cost.priceRub': 'number?',
      'search.results[].url': 'string?',
    });
    const [list] = (await printed('help --json jobs list')).commands ?? [];
    expect(list?.fields).toMatchObject({ '[].state': 'string', '[].files[].path': 'string?' });
    const { commands = [] } = await printed('help --json');
    const types = new Set(commands.flatMap(({ fields = {} }) => Object.values(fields)));
    expect(
      [...types].filter((type) => !/^(string|number|boolean|object|any)\??$/.test(type)),
    ).toEqual([]);
  });

  it('says which calls charge, and when they may be sent again', async () => {
    const { commands = [] } = await printed('help --json');
    const calls = new Map(commands.flatMap((one) => one.calls.map((call) => [call.id, call])));
    expect(calls.get('chat.create')).toMatchObject({ charges: true, retry: 'never' });
    expect(calls.get('media.generate')).toMatchObject({ charges: true, retry: 'idempotent' });
    expect(calls.get('media.price')).toMatchObject({ charges: false, retry: 'safe' });
    const charging = commands.filter(({ charges }) => charges).map(({ path }) => path);
    expect(charging).toEqual(expect.arrayContaining(['chat', 'generate', 'speak', 'api']));
    expect(charging).not.toContain('balance');
    expect(charging).not.toContain('jobs show');
  });

  it('names what may charge of each command, but for those that take any path', async () => {
    const { commands = [] } = await printed('help --json');
    const silent = commands.filter((one) => one.charges && !one.calls.some((call) => call.charges));
    expect(silent.map(({ path }) => path)).toEqual(['run', 'proxy', 'api']);
  });

  it('is one command or group, in whatever order it is asked for', async () => {
    const [whole] = (await printed('help --json jobs list')).commands ?? [];
    for (const line of [
      'jobs list --help --json',
      '--json help jobs list',
      'jobs help list --json',
      'jobs list --limit many --help --json',
    ]) {
      expect((await printed(line)).commands).toEqual([whole]);
    }
    expect(whole).toMatchObject({ path: 'jobs list', usage: 'svc jobs list [options]' });
    expect(pathsIn(await printed('help --json logs'))).toContain('logs conversations');
    expect(pathsIn(await printed('generate local/canvas --help --json'))).toEqual(['generate']);
  });

  it.each(topics.map(({ name }) => name))('is a part of the map for %s', async (topic) => {
    const { version, ...part } = await printed(`help ${topic} --json`);
    expect(Object.keys(part)).toHaveLength(1);
    expect(await mapOf([], entries, version)).toMatchObject(part);
  });

  it.each([
    'help --json nosuch',
    'help --json jobs nosuch',
    '--json',
    'help --json --timeout x',
    'help errors --json --bogus',
  ])('is wrong usage for `svc %s`', async (line) => {
    const { stdout, stderr, code } = await run(line, { tty: true });
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 2 } });
  });
});

it('the published schema refuses what is not a map', () => {
  expect(fits({})).toBe(false);
  expect(fits({ version: '1', commands: [{ path: 'chat' }] })).toBe(false);
});
