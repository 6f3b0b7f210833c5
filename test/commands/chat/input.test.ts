import { expect, it, test } from 'vitest';
import { chunks, chunksEnd, events, fakeKey, fakeService } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';
import { folderOf } from './scene.js';

const files = {
  'not.json': '{"type": "object",}',
  'list.json': [1],
  'object.json': {},
  'tools.json': [{ type: 'function', function: { name: 'now' } }],
  'photo.png': 'this is text',
  'photo.heic': '\0\0\0\x18ftypheic\0\0\0\0',
  noise: Buffer.from([0x80, 0xff, 0x00, 0x01]),
  'folder/file': '',
};

test.each([
  ['--format xml hi', '--format: "xml" is not one of chat, messages, responses'],
  ['--format messages --json-object hi', '--format messages does not support --json-object'],
  ['--thinking-budget 9 hi', '--format chat does not support --thinking-budget'],
  ['--reasoning-summary auto hi', '--format chat does not support --reasoning-summary'],
  ['--thinking disabled hi', '--format chat does not support --thinking'],
  ['-a - -a - hi', '-a - can only be given once'],
  ['--schema DIR/not.json hi', 'not.json is not JSON'],
  ['--schema DIR/list.json hi', 'list.json is not a JSON Schema object'],
  ['--tool-definitions DIR/object.json hi', 'is not a JSON array of tool definitions'],
  ['--tool-definitions DIR/tools.json --tool-choice then hi', 'there is no tool then'],
  ['-a DIR/missing.png hi', '--attach: there is no file'],
  ['-a DIR/photo.png hi', 'photo.png is named like an image but is not a PNG,'],
  ['-a DIR/noise hi', 'noise is neither an image (PNG, JPEG, GIF, WebP) nor'],
  ['-a DIR/photo.heic hi', 'photo.heic is image/heic; an attachment is PNG, JPEG,'],
  ['-a "" hi', '--attach needs a file, a URL or -'],
  ['-o "" hi', '--output needs a file name'],
  ['', 'the prompt is empty'],
  ['""', 'the prompt is empty'],
])('svc chat %s is refused in one sentence, before anything is sent', async (words, sentence) => {
  const service = await fakeService(events(chunks('no') + chunksEnd));
  const line = `chat -m m ${words.replace('DIR', folderOf(files))}`;
  const result = await run(line, { env: service.env });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toMatch(/^error: .+\n(hint: .+\n)?$/);
  expect(result.stderr).toContain(sentence);
  expect(service.requests).toEqual([]);
});

it.each(['nonsense', 'ftp://h.example', 'https://', 'http://u:p@h', '://'])(
  'the base URL %s is refused, and named as it was given',
  async (url) => {
    for (const [words, env, name] of [
      [['--base-url', url], {}, '--base-url'],
      [[], { SVC_BASE_URL: url }, 'SVC_BASE_URL'],
    ] as const) {
      const line = [...words, 'chat', '-m', 'm', 'hi'];
      const result = await run(line, { env: { SVC_API_KEY: fakeKey, ...env } });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toMatch(new RegExp(`^error: ${name}: .+\n(hint: .+\n)?$`));
    }
  },
);

it.each([
  ['whole', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
  ['in its last character', Buffer.from([0x61, 0xc3])],
])('piped bytes that are not text %s are refused: they would arrive altered', async (_, stdin) => {
  const service = await fakeService(events(chunks('no') + chunksEnd));
  const result = await run('chat -m m what?', { env: service.env, stdin });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toMatch(
    /^error: the piped input is not UTF-8 text\nhint: .+svc chat -a -.*\n$/,
  );
  expect(service.requests).toEqual([]);
});

it.each(['hi', '-m "" hi', '-m " " hi'])('svc chat %s says how to name a model', async (words) => {
  const service = await fakeService(events(chunks('no') + chunksEnd));
  const result = await run(`chat ${words}`, { env: service.env });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toMatch(/^error: no chat model is set\nhint: .*svc models list.*\n$/);
  expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
});

it.each([
  [{ SVC_API_KEY: fakeKey }, 'no base URL is known'],
  [{ SVC_BASE_URL: 'https://h.example' }, 'no key is set'],
])('with %o alone svc chat says how to log in, and exits 4', async (env, sentence) => {
  const result = await run('chat -m m hi', { env });
  expect(result).toMatchObject({ code: 4, stdout: '' });
  expect(result.stderr).toMatch(new RegExp(`^error: ${sentence}.*\nhint: .*svc login.*\n$`));
});

it.each([
  ['--format xml hi', { exit: 2, code: 'usage' }],
  ['--schema /none hi', { exit: 2, code: 'no_such_file' }],
  ['', { exit: 2, code: 'empty_prompt' }],
  ['-m nope hi', { exit: 3, status: 404, code: 'model_not_found' }],
])('the error of svc chat --json %s is one line of JSON', async (words, error) => {
  const { stdout, stderr } = await run(`--local chat --json ${words}`);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(stderr)).toMatchObject({ error });
});
