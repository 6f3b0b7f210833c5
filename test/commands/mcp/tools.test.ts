import { expect, test } from 'vitest';
import { program } from '../../../src/cli/main.js';
import { route } from '../../../src/cli/route.js';
import { chooseTools, listed } from '../../../src/commands/mcp/tools.js';
import { endpoints } from '../../../src/contract/index.js';
import { entries } from '../../../src/commands/index.js';

const tools = chooseTools(program, {});
const paid = new Set<string>(endpoints.flatMap((row) => ('paid' in row ? row.id : [])));

test('a tool that pays says so', () => {
  const paying = tools.filter(({ path }) => {
    const { endpoints: reached = [] } = route(path.split(' '), entries).declaration ?? {};
    return reached.some((id) => paid.has(id));
  });
  // They send a request again that an earlier command has paid for; --read-only stops that too.
  const silent = paying.filter(({ does }) => does !== 'pays').map(({ path }) => path);
  expect(silent).toEqual(['jobs list', 'jobs wait']);
});

test('the command reaches what its tools reach', () => {
  const reached = (path: string) => route(path.split(' '), entries).declaration?.endpoints ?? [];
  expect(reached('mcp')).toEqual([...new Set(tools.flatMap(({ path }) => reached(path)))]);
});

test('no tool runs programs, opens windows, chooses where files go or prints no JSON', () => {
  const names = tools.flatMap(({ options }) => options.map(([name]) => name));
  const kept = 'exec open play preview output force interactive yes lines'.split(' ');
  expect(kept.filter((name) => names.includes(name))).toEqual([]);
});

test('an option of the command goes before one of every command', () => {
  // Its own --input, and not --no-input of every command.
  const generate = tools.find(({ name }) => name === 'generate');
  expect(generate && listed(generate).inputSchema.properties).toMatchObject({
    input: { type: 'array' },
  });
});

test('an option that the command has as --no-NAME says what it does when it is true', () => {
  const negated = tools.flatMap(({ options, words }) =>
    options.filter(
      ([, option]) => option.type === 'switch' && option.negated && words === undefined,
    ),
  );
  expect(negated).toEqual([]);
  const generate = tools.find(({ name }) => name === 'generate');
  const { wait } = (generate && listed(generate).inputSchema.properties) ?? {};
  expect(wait).toMatchObject({ type: 'boolean', default: true });
  expect(wait?.description).toMatch(/^wait for the results; if false, return the job id at once/);
});

test('jobs_wait does not say that it downloads', () => {
  const wait = tools.find(({ name }) => name === 'jobs_wait');
  expect(wait && listed(wait).description).toMatch(/^wait for media jobs; jobs_download downloads/);
});

test('a tool is described without what only a command line can do', () => {
  const properties = tools.map((tool) => Object.entries(listed(tool).inputSchema.properties));
  const texts = properties.flat().map(([name, { description }]) => `${name} ${description}`);
  expect(texts).toContain('timeout total time limit (30s, 5m)');
  expect(texts).toContain('model ID: the image model (see models_list)');
  expect(texts.filter((text) => /svc |stdin|may be repeated/.test(text))).toEqual([]);
});
