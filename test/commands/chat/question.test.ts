import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { isRecord } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** Files of tools and schemas, by name. */
function files(): { tools: string; schema: string } {
  const folder = testFolder();
  const tools = join(folder, 'tools.json');
  const schema = join(folder, 'schema.json');
  writeFileSync(tools, JSON.stringify([chatTool]));
  writeFileSync(schema, JSON.stringify(shape));
  return { tools, schema };
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const named = { name: 'weather', description: 'now' };
const chatTool = { type: 'function', function: { ...named, parameters } };
const shape = { title: 'A city!', type: 'object', properties: { city: { type: 'string' } } };

const Shown = z.looseObject({ url: z.string(), body: z.record(z.string(), z.unknown()) });

/** Method, URL and body of what would be sent. */
async function dry(format: string, words: readonly string[]) {
  const line = ['--local', 'chat', '-m', 'm', '--format', format, ...words, '--dry-run', 'hi'];
  const { stdout, stderr, code } = await run(line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return Shown.parse(JSON.parse(stdout));
}

describe('what is asked in the format chat', () => {
  it('has every option under its own name', async () => {
    const { tools, schema } = files();
    const sampling = ['--max-tokens', '9', '--temperature', '0', '--top-p', '0.5'];
    const request = await dry('chat', [
      ...['-s', 'Be brief.', ...sampling, '--reasoning-effort', 'low'],
      ...['--tools', tools, '--tool-choice', 'weather', '--schema', schema],
    ]);
    expect(request).toMatchObject({
      method: 'POST',
      url: 'http://localhost/v1/chat/completions',
      headers: { authorization: 'Bearer [key]', 'content-type': 'application/json' },
    });
    expect(request.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      temperature: 0,
      top_p: 0.5,
      reasoning_effort: 'low',
      tools: [chatTool],
      // As section 2.3 types it; test/commands/chat/tool-choice.test.ts has the other form.
      tool_choice: 'weather',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'A_city_', schema: shape, strict: true },
      },
    });
  });
});

describe('what is asked in the format messages', () => {
  it('has every option under its own name', async () => {
    const { tools } = files();
    const request = await dry('messages', [
      ...['-s', 'Be brief.', '--temperature', '1', '--top-p', '1', '--thinking-budget', '2000'],
      ...['--tools', tools, '--tool-choice', 'required'],
    ]);
    expect(request.url).toBe('http://localhost/v1/messages');
    expect(request.body).toEqual({
      model: 'm',
      // Required there; it must leave room beyond the thinking.
      max_tokens: 6096,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      temperature: 1,
      top_p: 1,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [{ ...named, input_schema: parameters }],
      tool_choice: { type: 'any' },
    });
  });
});

describe('what is asked in the format responses', () => {
  it('has every option under its own name', async () => {
    const { tools, schema } = files();
    const request = await dry('responses', [
      ...['-s', 'Be brief.', '--max-tokens', '9', '--temperature', '2', '--top-p', '0'],
      ...['--reasoning-effort', 'max', '--reasoning-summary', 'auto', '--no-stream'],
      ...['--tools', tools, '--tool-choice', 'weather', '--schema', schema],
    ]);
    expect(request.url).toBe('http://localhost/v1/responses');
    expect(request.body).toEqual({
      model: 'm',
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      stream: false,
      max_output_tokens: 9,
      temperature: 2,
      top_p: 0,
      reasoning: { effort: 'max', summary: 'auto' },
      tools: [{ type: 'function', ...named, parameters }],
      tool_choice: { type: 'function', name: 'weather' },
      text: { format: { type: 'json_schema', name: 'A_city_', schema: shape, strict: true } },
    });
  });
});

describe.each(['chat', 'messages', 'responses'])(
  'against the embedded service, in %s',
  (format) => {
    const ask = (...words: string[]) => [
      ...['--local', 'chat', '-m', 'local/echo', '--format', format],
      ...words,
    ];

    it('a tool is called with arguments that fit it', async () => {
      const { tools } = files();
      const line = ask('--tools', tools, '--tool-choice', 'weather', 'how is it?');
      const { code, stdout, stderr } = await run(line);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({
        name: 'weather',
        arguments: { city: expect.any(String) },
      });
      const free = await run(ask('--tools', tools, '--tool-choice', 'none', 'weather?'));
      expect(free).toMatchObject({ code: 0, stdout: 'weather?' });
    });

    it.skipIf(format === 'messages')('an answer fits its schema, or is a JSON object', async () => {
      const { schema } = files();
      const fitted = await run(ask('--schema', schema, 'where?'));
      expect(fitted).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(fitted.stdout)).toMatchObject({ city: expect.any(String) });
      const object = await run(ask('--json-object', 'where?'));
      expect(isRecord(JSON.parse(object.stdout))).toBe(true);
    });

    it('tokens are counted, and nothing is charged', async () => {
      const home = testFolder();
      const counted = await run(ask('--count-tokens', '-s', 'abcd', 'efgh'), { home });
      expect(counted).toMatchObject({ code: 0, stdout: '2\n', stderr: '' });
      const json = await run(ask('--count-tokens', '--json', 'efgh'), { home });
      expect(JSON.parse(json.stdout)).toEqual({ input_tokens: 1 });
      expect(await run('--local balance', { home })).toMatchObject({ stdout: '1000.00 RUB\n' });
    });
  },
);
