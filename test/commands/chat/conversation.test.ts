import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { events, fakeService, json, type Seen } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** A file that holds this as JSON. */
function file(value: unknown): string {
  const path = join(testFolder(), 'talk.json');
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

/** The body of what would be sent. */
async function dry(format: string, words: readonly string[], stdin?: string) {
  const line = ['--local', 'chat', '-m', 'm', '--format', format, ...words, '--dry-run'];
  const { stdout, stderr, code } = await run(line, { stdin });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const shown: { body: Record<string, unknown> } = JSON.parse(stdout);
  return shown.body;
}

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

describe.each([
  ['chat', 'messages'],
  ['messages', 'messages'],
  ['responses', 'input'],
] as const)('a conversation in the format %s', (format, field) => {
  it('is sent as written, followed by the prompt', async () => {
    for (const value of [talk, { messages: talk, model: 'ignored' }]) {
      const body = await dry(format, ['--messages', file(value), 'And', 'then?']);
      expect(body[field]).toEqual([...talk, { role: 'user', content: 'And then?' }]);
      expect(body['model']).toBe('m');
    }
  });

  it('may stand alone, come from stdin, and have an image after it', async () => {
    expect((await dry(format, ['--messages', file(talk)]))[field]).toEqual(talk);
    const piped = await dry(format, ['--messages', '-', 'x'], JSON.stringify(talk));
    expect(piped[field]).toEqual([...talk, { role: 'user', content: 'x' }]);
    const url = 'https://example.org/a.png';
    const shown = (await dry(format, ['--messages', file(talk), '-a', url]))[field];
    expect(shown).toMatchObject([...talk, { role: 'user', content: [{}] }]);
  });

  it('may bring the system prompt, with blocks to cache', async () => {
    const body = await dry(format, ['--messages', file({ system }), 'hi']);
    const prompt = { role: 'user', content: 'hi' };
    const others = format === 'messages' ? [] : [{ role: 'system', content: system }];
    expect(body[field]).toEqual([...others, prompt]);
    expect(body['system']).toEqual(format === 'messages' ? system : undefined);
  });

  it.each([
    ['{', 'is not JSON'],
    [[{ role: 'robot', content: 'x' }], 'messages[0].role must be system, user, assistant or tool'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content must be'],
    [{ messages: talk, system: 5 }, 'system must be a string or an array'],
    [[], 'the prompt is empty'],
  ])('that is invalid is refused before anything is sent: %j', async (value, words) => {
    const service = await fakeService(events(''));
    const line = ['chat', '-m', 'm', '--format', format, '--messages', file(value)];
    const result = await run(line, { env: service.env });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(service.requests).toEqual([]);
  });
});

it('has one system prompt', async () => {
  const line = ['chat', '-m', 'm', '-s', 'x', '--messages', file({ system }), 'hi'];
  const result = await run(line);
  expect(result.code).toBe(2);
  expect(result.stderr).toContain('--messages already has a system prompt; omit --system');
});

it('thinking is disabled, or enabled without a budget', async () => {
  for (const type of ['disabled', 'enabled']) {
    const body = await dry('messages', ['--thinking', type, 'hi']);
    expect(body['thinking']).toEqual({ type });
  }
  const budgeted = await dry('messages', ['--thinking', 'enabled', '--thinking-budget', '9', 'hi']);
  expect(budgeted['thinking']).toEqual({ type: 'enabled', budget_tokens: 9 });
  const line = ['chat', '-m', 'm', '--format', 'messages', '--thinking', 'disabled', 'hi'];
  const both = await run([...line, '--thinking-budget', '9']);
  expect(both.stderr).toContain(
    '--thinking disabled and --thinking-budget cannot be used together',
  );
  const lacking = await run(['chat', '-m', 'm', '--thinking', 'disabled', 'hi']);
  expect(lacking.stderr).toContain('--format chat does not support --thinking');
});

const tool = { name: 'weather', description: 'x'.repeat(400), input_schema: { type: 'object' } };
const bodyOf = ({ body }: Pick<Seen, 'body'>): Record<string, unknown> => {
  const value: Record<string, unknown> = JSON.parse(body);
  return value;
};

describe('--count-tokens', () => {
  const line = () => ['chat', '-m', 'm', '--count-tokens', '--tools', file([tool])];

  it('counts the tools', async () => {
    const count = async (...words: string[]) =>
      Number(
        (await run(['--local', 'chat', '-m', 'local/echo', '--count-tokens', ...words])).stdout,
      );
    expect(await count('--tools', file([tool]), 'hi')).toBeGreaterThan(await count('hi'));
    const service = await fakeService(json({ input_tokens: 7 }));
    expect(await run([...line(), 'hi'], { env: service.env })).toMatchObject({ stdout: '7\n' });
    expect(bodyOf(service.requests[0] ?? { body: '' })).toMatchObject({ tools: [tool] });
  });

  it('counts them as text where the service knows no such field', async () => {
    const service = await fakeService((seen, response) => {
      const { tools, system } = bodyOf(seen);
      if (tools)
        json({ error: { message: 'unknown field tools', code: 'x' } }, 400)(seen, response);
      else json({ input_tokens: String(system).length })(seen, response);
    });
    const result = await run([...line(), '-s', 'abc', 'hi'], { env: service.env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(bodyOf(service.requests[1] ?? { body: '' })['system']).toBe(
      `abc\n${JSON.stringify([tool])}`,
    );
  });

  it('sends the system prompt as one text, as section 2.4 types it', async () => {
    const body = await dry('messages', ['--count-tokens', '--messages', file({ system }), 'hi']);
    expect(body['system']).toBe('Be brief.');
  });
});
