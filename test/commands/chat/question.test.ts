import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { isRecord } from '../../../src/lib/json.js';
import { chunks, chunksEnd, events, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { bodiesOf, fileOf, folderOf, formats, messagesOf, requestOf } from './scene.js';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const named = { name: 'weather', description: 'now' };
const chatTool = { type: 'function', function: { ...named, parameters } };
const shape = { title: 'A city!', type: 'object', properties: { city: { type: 'string' } } };
const shaped = { name: 'A_city_', schema: shape, strict: true };
const said = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'hi' },
];

test.each([
  [
    'chat',
    'chat/completions',
    '--max-tokens 9 --temperature 0 --top-p 0.5 --reasoning-effort low --tool-choice weather --schema SCHEMA',
    {
      messages: said,
      stream: true,
      stream_options: { include_usage: true },
      ...{ max_tokens: 9, temperature: 0, top_p: 0.5, reasoning_effort: 'low' },
      tools: [chatTool],
      // As section 2.3 types it; the other form is tested below.
      tool_choice: 'weather',
      response_format: { type: 'json_schema', json_schema: shaped },
    },
  ],
  [
    'messages',
    'messages',
    '--temperature 1 --top-p 1 --thinking-budget 2000 --tool-choice required',
    {
      // Required there; it must leave room beyond the thinking.
      max_tokens: 6096,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'hi' }],
      ...{ stream: true, temperature: 1, top_p: 1 },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [{ ...named, input_schema: parameters }],
      tool_choice: { type: 'any' },
    },
  ],
  [
    'responses',
    'responses',
    '--max-tokens 9 --temperature 2 --top-p 0 --reasoning-effort max --reasoning-summary auto --no-stream --tool-choice weather --schema SCHEMA',
    {
      input: said,
      ...{ stream: false, max_output_tokens: 9, temperature: 2, top_p: 0 },
      reasoning: { effort: 'max', summary: 'auto' },
      tools: [{ type: 'function', ...named, parameters }],
      tool_choice: { type: 'function', name: 'weather' },
      text: { format: { type: 'json_schema', ...shaped } },
    },
  ],
])('a request in the format %s has every option under its name there', async (...row) => {
  const [format, path, options, body] = row;
  const words = options.replace('SCHEMA', fileOf(shape)).split(' ');
  const system = ['-s', 'Be brief.', '--tool-definitions', fileOf([chatTool])];
  const request = await requestOf(['-m', 'm', '--format', format, ...system, ...words, 'hi']);
  expect(request).toMatchObject({
    method: 'POST',
    url: `http://localhost/v1/${path}`,
    headers: { authorization: 'Bearer [key]', 'content-type': 'application/json' },
  });
  expect(request.body).toEqual({ model: 'm', ...body });
});

describe.each(formats)('against the embedded service, in %s,', (format) => {
  const ask = (...words: string[]) =>
    ['--local', 'chat', '-m', 'local/echo', '--format', format].concat(words);

  it('a tool is called with arguments that fit it', async () => {
    const tools = fileOf([chatTool]);
    const called = await run(
      ask('--tool-definitions', tools, '--tool-choice', 'weather', 'how is it?'),
    );
    expect(called).toMatchObject({ code: 0, stderr: '' });
    const city: unknown = expect.any(String);
    expect(JSON.parse(called.stdout)).toMatchObject({ name: 'weather', arguments: { city } });
    const free = await run(ask('--tool-definitions', tools, '--tool-choice', 'none', 'weather?'));
    expect(free).toMatchObject({ code: 0, stdout: 'weather?\n' });
  });

  it.skipIf(format === 'messages')('an answer fits its schema, or is a JSON object', async () => {
    const fitted = await run(ask('--schema', fileOf(shape), 'where?'));
    expect(fitted).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(fitted.stdout)).toMatchObject({ city: expect.any(String) });
    const object = await run(ask('--json-object', 'where?'));
    expect(isRecord(JSON.parse(object.stdout))).toBe(true);
  });

  it('tokens are counted, and nothing is charged', async () => {
    const home = testFolder();
    const counted = await run(ask('--count-tokens', '-s', 'abcd', 'efgh'), { home });
    expect(counted).toMatchObject({ code: 0, stdout: '2\n', stderr: '' });
    const asJson = await run(ask('--count-tokens', '--json', 'efgh'), { home });
    expect(JSON.parse(asJson.stdout)).toEqual({ input_tokens: 1 });
    expect(await run('--local balance', { home })).toMatchObject({ stdout: '1000.00 RUB\n' });
  });
});

const object = { type: 'function', function: { name: 'weather' } };
const accepts = { string: () => true, object: isRecord, nothing: () => false };

test.each([
  ['a string, as the specification types it', 'string', {}, 0, ['weather']],
  [
    'an object where the service refuses the string',
    'object',
    { error: { message: 'No', type: 'invalid_request_error', param: 'tool_choice' } },
    ...[0, ['weather', object]],
  ],
  [
    'an object where a message of any form refuses the string',
    'object',
    { ok: false, code: 'invalid', message: 'tool_choice must be an object' },
    ...[0, ['weather', object]],
  ],
  [
    'a string again after a refusal of something else: never',
    'nothing',
    { error: { message: 'No model', code: 'x' } },
    ...[3, ['weather']],
  ],
  [
    'an object at most once',
    'nothing',
    { error: { message: 'tool_choice: no', code: 'x' } },
    ...[3, ['weather', object]],
  ],
] as const)('a tool is named by %s', async (_, accepted, refusal, code, sent) => {
  const answer = events(chunks('done') + chunksEnd);
  const service = await fakeService((seen, response) => {
    const { tool_choice: choice }: { tool_choice?: unknown } = JSON.parse(seen.body || '{}');
    (accepts[accepted](choice) ? answer : json(refusal, 400))(seen, response);
  });
  const tools = fileOf([{ name: 'weather' }]);
  const line = ['chat', '-m', 'm', '--tool-definitions', tools, '--tool-choice', 'weather', 'hi'];
  expect(await run(line, { env: service.env })).toMatchObject({ code });
  expect(bodiesOf(service.requests).map((body) => body['tool_choice'])).toEqual(sent);
});

const images = {
  'image/png': Buffer.from('\x89PNG\r\n\x1a\n rest of a PNG', 'latin1'),
  'image/jpeg': Buffer.from('\xff\xd8\xff\xe0 rest of a JPEG', 'latin1'),
  'image/gif': Buffer.from('GIF89a rest of a GIF', 'latin1'),
  'image/webp': Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 rest', 'latin1'),
};
const hi = { type: 'text', text: 'hi' };

/** The content of the user's message, as the service would get it. */
async function contentOf(format: string, words: readonly string[], stdin?: string | Buffer) {
  const messages = await messagesOf(['-m', 'm', '--format', format, ...words], { stdin });
  const [{ content } = { content: undefined }, ...others] = messages as { content: unknown }[];
  expect(others).toEqual([]);
  return content;
}

it.each(Object.entries(images))(
  'an attached image is known by its content: %s',
  async (type, bytes) => {
    const url = `data:${type};base64,${bytes.toString('base64')}`;
    const folder = folderOf({ photo: bytes, 'photo.txt': bytes, 'wrong.png': bytes });
    for (const name of ['photo', 'photo.txt', 'wrong.png']) {
      const content = await contentOf('chat', ['-a', join(folder, name), 'hi']);
      expect(content).toEqual([{ type: 'image_url', image_url: { url } }, hi]);
    }
  },
);

it('an attached image is a block of its own kind in each format, from a file or by its URL', async () => {
  const url = 'https://h.example/a.png?x=1';
  const words = ['-a', fileOf(images['image/png']), '-a', url, 'hi'];
  const base64 = images['image/png'].toString('base64');
  const data = `data:image/png;base64,${base64}`;
  expect(await contentOf('chat', words)).toEqual([
    { type: 'image_url', image_url: { url: data } },
    { type: 'image_url', image_url: { url } },
    hi,
  ]);
  expect(await contentOf('messages', words)).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
    { type: 'image', source: { type: 'url', url } },
    hi,
  ]);
  expect(await contentOf('responses', words)).toEqual([
    { type: 'input_image', image_url: data },
    { type: 'input_image', image_url: url },
    { type: 'input_text', text: 'hi' },
  ]);
});

it('an attached image may come from stdin, or as a data URL, and needs no prompt beside it', async () => {
  const url = `data:image/gif;base64,${images['image/gif'].toString('base64')}`;
  const image = { type: 'image_url', image_url: { url } };
  expect(await contentOf('chat', ['-a', '-'], images['image/gif'])).toEqual([image]);
  expect(await contentOf('chat', ['-a', url])).toEqual([image]);
});

test('an attached text is sent under its name, between the piped text and the prompt', async () => {
  const notes = fileOf('# Notes\n\nä\n', 'notes.md');
  expect(await contentOf('chat', ['-a', notes, 'hi'], 'piped\n')).toEqual([
    { type: 'text', text: 'piped\n' },
    { type: 'text', text: 'notes.md:\n\n# Notes\n\nä\n' },
    hi,
  ]);
});
