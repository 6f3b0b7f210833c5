import { describe, expect, it, test } from 'vitest';
import { events, fakeService, json } from '../../helpers/fake-service.js';
import { fails, run } from '../../helpers/run.js';
import { bodiesOf, fileOf, messagesOf, requestOf } from './scene.js';

const talk = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'rain' },
];
const system = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
const user = (content: unknown) => ({ role: 'user', content });

describe.each(['chat', 'messages', 'responses'])('--history in the format %s', (format) => {
  const model = ['-m', 'm', '--format', format];

  it.each([
    ['as written, followed by the prompt', talk, ['x'], [user('x')]],
    ['without other fields', { messages: talk, model: 'ignored' }, ['x'], [user('x')]],
    ['without a prompt', talk, [], []],
    ['before an image', talk, ['-a', 'https://e.org/a.png'], [user([expect.anything()])]],
  ])('is sent %s', async (_, value, words, rest) => {
    const messages = await messagesOf([...model, '--history', fileOf(value), ...words]);
    expect(messages).toEqual([...talk, ...rest]);
  });

  it('is read from stdin', async () => {
    const stdin = JSON.stringify(talk);
    const messages = await messagesOf([...model, '--history', '-', 'x'], { stdin });
    expect(messages).toEqual([...talk, user('x')]);
  });

  it('may bring the system prompt, with blocks to cache', async () => {
    const words = [...model, '--history', fileOf({ system }), 'hi'];
    const isField = format === 'messages';
    const before = isField ? [] : [{ role: 'system', content: system }];
    expect(await messagesOf(words)).toEqual([...before, user('hi')]);
    expect((await requestOf(words)).body['system']).toEqual(isField ? system : undefined);
  });

  it.each([
    ['{', 'is not JSON'],
    [[{ role: 'robot', content: 'x' }], 'messages[0].role must be system, user, assistant or tool'],
    [{ messages: [user(5)] }, 'messages[0].content must be'],
    [{ messages: talk, system: 5 }, 'system must be a string or an array'],
    [[], 'the prompt is empty'],
  ])('%j is refused before anything is sent', async (value, words) => {
    const service = await fakeService(events(''));
    const line = ['chat', ...model, '--history', fileOf(value)];
    expect(await run(line, { env: service.env })).toMatchObject(fails(2, words));
    expect(service.requests).toEqual([]);
  });
});

test('a conversation has one system prompt', async () => {
  const result = await run(['chat', '-m', 'm', '-s', 'x', '--history', fileOf({ system }), 'hi']);
  expect(result.code).toBe(2);
  expect(result.stderr).toContain('--history already has a system prompt; omit --system');
});

test.each([
  ['disabled', [], {}],
  ['enabled', [], {}],
  ['enabled', ['--thinking-budget', '9'], { budget_tokens: 9 }],
])('--thinking %s %j is sent as it is', async (type, more, budget) => {
  const words = ['-m', 'm', '--format', 'messages', '--thinking', type, ...more, 'hi'];
  expect((await requestOf(words)).body['thinking']).toEqual({ type, ...budget });
});

const tool = { name: 'weather', description: 'x'.repeat(400), input_schema: { type: 'object' } };
const withTool = () => ['--count-tokens', '--tool-definitions', fileOf([tool])];

it('--count-tokens counts the tools', async () => {
  const count = async (...words: string[]) =>
    Number((await run(['--local', 'chat', '-m', 'local/echo', ...words, 'hi'])).stdout);
  expect(await count(...withTool())).toBeGreaterThan(await count('--count-tokens'));
  const { env, requests } = await fakeService(json({ input_tokens: 7 }));
  const result = await run(['chat', '-m', 'm', ...withTool(), 'hi'], { env });
  expect(result).toMatchObject({ stdout: '7\n' });
  expect(bodiesOf(requests)).toMatchObject([{ tools: [tool] }]);
});

it('--count-tokens counts them as text where the service knows no such field', async () => {
  const { env, requests } = await fakeService((seen, response) => {
    const refusal = json({ error: { message: 'unknown field tools', code: 'x' } }, 400);
    (seen.body.includes('"tools"') ? refusal : json({ input_tokens: 1 }))(seen, response);
  });
  const result = await run(['chat', '-m', 'm', ...withTool(), '-s', 'abc', 'hi'], { env });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(bodiesOf(requests)[1]?.['system']).toBe(`abc\n${JSON.stringify([tool])}`);
});

it('--count-tokens sends the system prompt as one text, as section 2.4 types it', async () => {
  const words = ['-m', 'm', '--count-tokens', '--history', fileOf({ system }), 'hi'];
  expect((await requestOf(words)).body['system']).toBe('Be brief.');
});
