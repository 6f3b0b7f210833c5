import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { isRecord } from '../../../src/lib/json.js';
import { chunks, chunksEnd, events, fakeService, json } from '../../helpers/fake-service.js';
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

describe('the request in the format chat', () => {
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
      // As section 2.3 types it; the other form is tested below.
      tool_choice: 'weather',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'A_city_', schema: shape, strict: true },
      },
    });
  });
});

describe('the request in the format messages', () => {
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

describe('the request in the format responses', () => {
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
      expect(free).toMatchObject({ code: 0, stdout: 'weather?\n' });
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

const answer = events(chunks('done') + chunksEnd);

/** What is sent as tool_choice, one request after the other, to a service that takes what `takes` says. */
async function choices(takes: (choice: unknown) => boolean, refusal: unknown) {
  const sent: unknown[] = [];
  const service = await fakeService((seen, response) => {
    const { tool_choice: choice }: { tool_choice?: unknown } = JSON.parse(seen.body || '{}');
    if (seen.method === 'POST') sent.push(choice);
    (takes(choice) ? answer : json(refusal, 400))(seen, response);
  });
  const tools = join(testFolder(), 'tools.json');
  writeFileSync(tools, JSON.stringify([{ name: 'weather' }]));
  const line = ['chat', '-m', 'm', '--tools', tools, '--tool-choice', 'weather', 'hi'];
  const { code } = await run(line, { env: service.env });
  return { sent, code };
}

const object = { type: 'function', function: { name: 'weather' } };

it('a tool is named by a string, as the specification types it', async () => {
  expect(await choices(() => true, {})).toEqual({ sent: ['weather'], code: 0 });
});

it('a tool is named by an object where the service refuses the string', async () => {
  const refusals = [
    { error: { message: 'No', type: 'invalid_request_error', param: 'tool_choice' } },
    { ok: false, code: 'invalid', message: 'tool_choice must be an object' },
  ];
  for (const refusal of refusals) {
    const { sent, code } = await choices((choice) => typeof choice !== 'string', refusal);
    expect({ sent, code }).toEqual({ sent: ['weather', object], code: 0 });
  }
});

it('a refusal for anything else is not retried, and there is at most one more try', async () => {
  const other = await choices(() => false, { error: { message: 'No model', code: 'x' } });
  expect(other).toEqual({ sent: ['weather'], code: 3 });
  const never = await choices(() => false, { error: { message: 'tool_choice: no', code: 'x' } });
  expect(never).toEqual({ sent: ['weather', object], code: 3 });
});

describe('attachments', () => {
  const images = {
    'image/png': Buffer.from('\x89PNG\r\n\x1a\n rest of a PNG', 'latin1'),
    'image/jpeg': Buffer.from('\xff\xd8\xff\xe0 rest of a JPEG', 'latin1'),
    'image/gif': Buffer.from('GIF89a rest of a GIF', 'latin1'),
    'image/webp': Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 rest', 'latin1'),
  } as const;

  let folder: string;
  beforeEach(() => {
    folder = testFolder();
  });

  function file(name: string, content: string | Buffer): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  const dataUrl = (type: keyof typeof images) =>
    `data:${type};base64,${images[type].toString('base64')}`;

  const Turns = z.array(z.object({ role: z.literal('user'), content: z.unknown() }));
  const Shown = z.object({
    body: z.union([z.object({ messages: Turns }), z.object({ input: Turns })]),
  });

  /** The content of the user's message as the service would get it. */
  async function sent(format: string, words: readonly string[], stdin?: string | Buffer) {
    const line = ['--local', 'chat', '-m', 'm', '--format', format, '--dry-run', ...words];
    const { stdout, stderr, code } = await run(line, { stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { body } = Shown.parse(JSON.parse(stdout));
    const [turn, ...others] = 'messages' in body ? body.messages : body.input;
    expect(others).toEqual([]);
    return turn?.content;
  }

  describe('an image', () => {
    it.each(Object.keys(images))(
      'is recognised by its content, whatever its name: %s',
      async (type) => {
        const kind = Object.entries(images).find(([name]) => name === type)?.[1] ?? '';
        for (const name of ['photo', 'photo.txt', 'wrong.png']) {
          expect(await sent('chat', ['-a', file(name, kind), 'what is this?'])).toEqual([
            {
              type: 'image_url',
              image_url: { url: `data:${type};base64,${Buffer.from(kind).toString('base64')}` },
            },
            { type: 'text', text: 'what is this?' },
          ]);
        }
      },
    );

    it('is a block of its own kind in each format, from a file or by its URL', async () => {
      const png = file('a.png', images['image/png']);
      const url = 'https://h.example/a.png?x=1';
      const words = ['-a', png, '-a', url, 'hi'];
      const data = dataUrl('image/png');
      expect(await sent('chat', words)).toEqual([
        { type: 'image_url', image_url: { url: data } },
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: 'hi' },
      ]);
      const base64 = images['image/png'].toString('base64');
      expect(await sent('messages', words)).toEqual([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
        { type: 'image', source: { type: 'url', url } },
        { type: 'text', text: 'hi' },
      ]);
      expect(await sent('responses', words)).toEqual([
        { type: 'input_image', image_url: data },
        { type: 'input_image', image_url: url },
        { type: 'input_text', text: 'hi' },
      ]);
    });

    it('may come from stdin, or as a data URL, and needs no prompt beside it', async () => {
      const data = dataUrl('image/gif');
      const image = { type: 'image_url', image_url: { url: data } };
      expect(await sent('chat', ['-a', '-'], images['image/gif'])).toEqual([image]);
      expect(await sent('chat', ['-a', data])).toEqual([image]);
    });
  });

  describe('a text file', () => {
    it('is sent as text under its name, between the piped text and the prompt', async () => {
      const notes = file('notes.md', '# Notes\n\nä\n');
      expect(await sent('chat', ['-a', notes, 'sum it up'], 'piped\n')).toEqual([
        { type: 'text', text: 'piped\n' },
        { type: 'text', text: 'notes.md:\n\n# Notes\n\nä\n' },
        { type: 'text', text: 'sum it up' },
      ]);
    });
  });
});
