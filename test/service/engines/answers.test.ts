import { expect, it } from 'vitest';
import { inForm, callTools } from '../../../src/service/engines/answers.js';
import { type Prompt, type Tool } from '../../../src/service/engines/engine.js';
import { ServiceFailure } from '../../../src/service/failure.js';
import { promptOf } from './prompt.js';

const schema = {
  type: 'object',
  properties: {
    answer: { type: 'string' },
    score: { type: 'number', minimum: 0, maximum: 1 },
    source: { enum: ['manual', 'none'] },
  },
  required: ['answer', 'score', 'source'],
  additionalProperties: false,
};

it('inForm leaves text as it is', async () => {
  expect(await inForm({ form: 'text' }, ' {"a" ', {})).toBe(' {"a" ');
});

it('inForm leaves JSON that has the form already as it is, spaces and all', async () => {
  expect(await inForm({ form: 'json' }, ' { "a": 1 }', {})).toBe(' { "a": 1 }');
  const fitting = '{"answer": "x", "score": 0.5,\n"source": "none"}';
  expect(await inForm({ form: 'schema', schema }, fitting, {})).toBe(fitting);
});

it('inForm makes an object of anything else', async () => {
  expect(await inForm({ form: 'json' }, '[1]', { echo: '[1]' })).toBe('{"echo":"[1]"}');
});

it('inForm makes a value of the schema that carries the text', async () => {
  const made = await inForm({ form: 'schema', schema }, '{"answer": 3}', {});
  expect(JSON.parse(made)).toEqual({ answer: '{"answer": 3}', score: 0, source: 'manual' });
});

it('inForm says which field asks for too much', async () => {
  const form = { form: 'schema' as const, schema: { $ref: '#/nowhere' } };
  await expect(inForm(form, 'x', {})).rejects.toMatchObject({
    status: 400,
    details: { param: 'response_format' },
  });
});

const weather: Tool = {
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', enum: ['Oslo', 'Rome'] } },
    required: ['city'],
  },
};
const clock: Tool = { name: 'clock', parameters: undefined };
const tools = [weather, clock];

async function names(text: string, more: Partial<Prompt> = {}): Promise<string[]> {
  return (await callTools(promptOf(text, { tools, ...more }))).map(({ name }) => name);
}

const marked = ['-get-', 'a.b', 'get'].map((name) => ({ name, parameters: undefined }));

it.each<[what: string, text: string, more: Partial<Prompt>, called: string[]]>([
  ['in their own order', 'does the clock say get_weather?', {}, ['get_weather', 'clock']],
  ['in quotation marks', 'Use "clock".', {}, ['clock']],
  ['between dashes', 'now -get- it', { tools: marked }, ['-get-', 'get']],
  ['before a full stop', 'use a.b.', { tools: marked }, ['a.b']],
  ['not for a part of a word', 'clockwork and my_clock and get_weather2', {}, []],
  ['not for a part of its name', 'what is the weather', {}, []],
  [
    'one alone without parallel calls',
    'clock get_weather',
    { parallelToolCalls: false },
    ['get_weather'],
  ],
  ['by the choice', 'hi', { toolChoice: { name: 'clock' } }, ['clock']],
  ['the first where one is required', 'hi', { toolChoice: 'required' }, ['get_weather']],
  ['one required by its name', 'clock', { toolChoice: 'required' }, ['clock']],
  ['not where tools are disabled', 'clock', { toolChoice: 'none' }, []],
])('callTools calls the tools that the last message names, %s', async (_, text, more, called) => {
  expect(await names(text, more)).toEqual(called);
});

it('callTools makes up arguments that fit the schema, and {} without one', async () => {
  const calls = await callTools(promptOf('clock get_weather', { tools }));
  expect(calls.map(({ json }) => json)).toEqual(['{"city":"Oslo"}', '{}']);
});

it('callTools refuses a choice that there is no tool for', async () => {
  await expect(names('hi', { toolChoice: { name: 'nope' } })).rejects.toThrow(ServiceFailure);
  await expect(names('hi', { toolChoice: 'required', tools: [] })).rejects.toThrow(
    /there are none/,
  );
});

it('callTools refuses a schema that it cannot fill in, by the name of the tool', async () => {
  const odd = { name: 'odd', parameters: { $ref: 'https://example.com/x' } };
  await expect(names('odd', { tools: [odd] })).rejects.toThrow(/arguments for the tool "odd"/);
});
