import { expect, test } from 'vitest';
import { program } from '../../../src/cli/main.js';
import { route } from '../../../src/cli/route.js';
import { chooseTools, listed, wordsFor } from '../../../src/commands/mcp/tools.js';
import { endpoints } from '../../../src/contract/index.js';
import { entries } from '../../../src/commands/index.js';

const tools = chooseTools(program, {});
const list = tools.map(listed);

function listOf(name: string) {
  const [found] = list.filter((one) => one.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
}

const propertiesOf = (name: string) => listOf(name).inputSchema.properties;
const paid = new Set<string>(endpoints.flatMap((row) => ('paid' in row ? row.id : [])));

test('a tool that pays says so', () => {
  const paying = tools.filter(({ path }) => {
    const { endpoints: reached = [] } = route(path.split(' '), entries).declaration ?? {};
    return reached.some((id) => paid.has(id));
  });
  // As commands they may send a request again; as tools their ceiling is 0.
  const silent = paying.filter(({ does }) => does !== 'pays').map(({ path }) => path);
  expect(silent).toEqual(['jobs list', 'jobs wait']);
  const unpaid = tools.filter(({ always }) => always?.join(' ').includes('--max-cost 0'));
  expect(unpaid.map(({ path }) => path)).toEqual(['jobs list', 'jobs show', 'jobs wait']);
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
  expect(propertiesOf('generate')['input']).toMatchObject({ type: 'array' });
});

test('the list is as small as a context that holds it wants, and always in the same order', () => {
  const text = JSON.stringify({ tools: list });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(9000);
  // Words and runs of marks: o200k has 7 % more tokens than these (2,073 for 1,942), so this is 2,300.
  expect(text.match(/[A-Za-z][a-z]*|\d+|[^\sA-Za-z\d]+/g)?.length).toBeLessThanOrEqual(2150);
  expect(list.map(({ name }) => name).join(' ')).toBe(
    'chat generate jobs_list jobs_show jobs_wait jobs_download image_create speak transcribe search embed decide models_list models_show models_capabilities models_media balance usage_list usage_show usage_chart tickets_list tickets_show tickets_create tickets_reply tickets_close',
  );
});

test('a tool is described without what only a command line can do', () => {
  const texts = list.flatMap(({ description, inputSchema }) => [
    description,
    ...Object.values(inputSchema.properties).map((one) => one.description ?? ''),
  ]);
  expect(texts).toContain('NAME=VALUE of models_capabilities');
  expect(
    texts.filter((text) => /--|svc |stdin|terminal|-:|\|-|may be repeated/.test(text)),
  ).toEqual([]);
});

test('what pays says so, takes maxCost, and is never run unasked; nor is what changes something', () => {
  for (const { name, does } of tools) {
    const { annotations: hints, description } = listOf(name);
    const { readOnlyHint, destructiveHint, openWorldHint, idempotentHint } = hints;
    const isUnasked =
      readOnlyHint === true || !(destructiveHint === true || openWorldHint === true);
    expect([name, isUnasked, typeof idempotentHint]).toEqual([name, does === 'reads', 'boolean']);
    const maxCost = propertiesOf(name)['maxCost']?.type === 'number';
    const words = [name, maxCost, description.includes('Costs RUB')];
    expect(words).toEqual([name, does === 'pays', does === 'pays']);
  }
});

test('every list has a limit, and a tool that waits says how to wait less', () => {
  const lists = list.filter(({ name }) => /_(list|media|capabilities|chart)$|^search$/.test(name));
  expect(lists).toHaveLength(8);
  for (const { name } of lists)
    expect([name, propertiesOf(name)['limit']?.type]).toEqual([name, 'integer']);
  expect(propertiesOf('jobs_wait')['timeout']?.description).toBe('30s, 5m');
  expect(propertiesOf('generate')['wait']?.description).toBe('false: return the job id at once');
});

test('an argument that the list leaves out is accepted, and a list of texts where svc takes several', () => {
  const [chat, jobs] = ['chat', 'jobs_list'].map((name) => tools.find((one) => one.name === name));
  expect(Object.keys(propertiesOf('chat'))).not.toContain('temperature');
  const given = { prompt: 'hi', temperature: 0.5, model: ['a/b', 'c/d'], continue: true };
  expect(chat && wordsFor(chat, given, '/f')).toEqual(
    'chat --model a/b --model c/d --continue --temperature 0.5 -- hi'.split(' '),
  );
  expect(jobs && wordsFor(jobs, { all: true }, '/f')).toContain('--all');
});
