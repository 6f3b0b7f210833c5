import { expect, test } from 'vitest';
import { chooseTools, listed } from '../../../src/commands/mcp/tools.js';
import { endpoints } from '../../../src/contract/index.js';
import { entries } from '../../../src/commands/index.js';

const tools = chooseTools({});
const paid = new Set<string>(endpoints.flatMap((row) => ('paid' in row ? row.id : [])));

function endpointsOf(path: string): readonly string[] {
  const [first, verb] = path.split(' ');
  const entry = entries.find(({ name }) => name === first);
  const found =
    entry && 'commands' in entry ? entry.commands.find(({ name }) => name === verb) : entry;
  return found?.endpoints ?? [];
}

test('a tool that reads reaches nothing that is paid for', () => {
  // They send a request again that an earlier command has paid for; --read-only stops that too.
  const repeats = ['jobs list', 'jobs wait'];
  const reading = tools.filter(({ does, path }) => does === 'reads' && !repeats.includes(path));
  const reached = reading.map(({ path }) => [path, endpointsOf(path).filter((id) => paid.has(id))]);
  expect(reached.filter(([, ids]) => ids?.length !== 0)).toEqual([]);
});

test('a tool that pays says so', () => {
  const paying = tools.filter(({ path }) => endpointsOf(path).some((id) => paid.has(id)));
  const silent = paying.filter(({ does }) => does !== 'pays').map(({ path }) => path);
  expect(silent).toEqual(['jobs list', 'jobs wait']);
});

test('no tool runs programs, opens windows, chooses where files go or prints no JSON', () => {
  const names = tools.flatMap(({ options }) => options.map(([name]) => name));
  const kept = [
    'exec',
    'open',
    'play',
    'preview',
    'output',
    'force',
    'interactive',
    'yes',
    'lines',
  ];
  expect(kept.filter((name) => names.includes(name))).toEqual([]);
});

test('a schema says what the command line accepts', () => {
  const chat = tools.find(({ name }) => name === 'chat');
  expect(chat && listed(chat)).toMatchObject({
    inputSchema: {
      properties: {
        prompt: { type: 'string' },
        model: { type: 'array', items: { type: 'string' } },
        format: { type: 'string', enum: ['chat', 'messages', 'responses'] },
        maxTokens: { type: 'integer', minimum: 1 },
        temperature: { type: 'number', minimum: 0, maximum: 2 },
        fit: { type: 'boolean' },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
  });
  // Its own --input, and not --no-input of every command.
  const generate = tools.find(({ name }) => name === 'generate');
  expect(generate && listed(generate).inputSchema.properties).toMatchObject({
    input: { type: 'array' },
  });
});
