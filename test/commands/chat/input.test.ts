import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunks, chunksEnd, events, fakeKey, fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** Files that are not what they should be. */
function badFiles(): string {
  const folder = testFolder();
  const files: Record<string, string | Buffer> = {
    'not.json': '{"type": "object",}',
    'list.json': '[1]',
    'object.json': '{}',
    'tools.json': '[{"type":"function","function":{"name":"now"}}]',
    'photo.png': 'this is text',
    'photo.heic': '\0\0\0\x18ftypheic\0\0\0\0',
    noise: Buffer.from([0x80, 0xff, 0x00, 0x01]),
    empty: ' \n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  mkdirSync(join(folder, 'folder'));
  return folder;
}

type Case = readonly [words: readonly string[], sentence: string];

const cases: Record<string, (folder: string) => readonly Case[]> = {
  'a word that is no choice, or a number out of range': () => [
    [['--format', 'xml', 'hi'], '--format: "xml" is not one of chat, messages, responses'],
    [['--temperature', '3', 'hi'], '"3" is not a number from 0 to 2'],
    [['--max-tokens', '0', 'hi'], '"0" is not a whole number of at least 1'],
    [['--thinking-budget', '0', 'hi'], '"0" is not a whole number of at least 1'],
    [['--reasoning-effort', 'huge', 'hi'], '"huge" is not one of none, minimal, low,'],
    [['--timeout', 'soon', 'hi'], '"soon" is not a duration such as 30s or 5m'],
  ],
  'a format with an option that it lacks': () => [
    [
      ['--format', 'messages', '--json-object', 'hi'],
      '--format messages does not support --json-object',
    ],
    [
      ['--format', 'chat', '--thinking-budget', '9', 'hi'],
      '--format chat does not support --thinking-budget',
    ],
    [['--reasoning-summary', 'auto', 'hi'], '--format chat does not support --reasoning-summary'],
  ],
  'options that exclude each other': (folder) => [
    [['--json', '--events', 'hi'], '--json and --events cannot be used together'],
    [['--json-object', '--schema', join(folder, 'object.json'), 'hi'], 'cannot be used together'],
    [['--count-tokens', '--events', 'hi'], '--count-tokens and --events cannot be used together'],
    [['--count-tokens', '-x', 'hi'], '--count-tokens and --extract cannot be used together'],
    [['--tool-choice', 'auto', 'hi'], '--tool-choice needs --tool, --mcp or --tools'],
    [['-a', '-', '-a', '-', 'hi'], '-a - can only be given once'],
  ],
  'a schema that is none': (folder) => [
    [['--schema', join(folder, 'not.json'), 'hi'], 'not.json is not JSON'],
    [['--schema', join(folder, 'list.json'), 'hi'], 'list.json is not a JSON Schema object'],
  ],
  'tools that are none, or a choice that is not among them': (folder) => [
    [['--tools', join(folder, 'object.json'), 'hi'], 'is not a JSON array of tool definitions'],
    [
      ['--tools', join(folder, 'tools.json'), '--tool-choice', 'then', 'hi'],
      'there is no tool then',
    ],
  ],
  'an attachment that is missing, or is not what it should be': (folder) => [
    [['-a', join(folder, 'missing.png'), 'hi'], '--attach: there is no file'],
    [['-a', join(folder, 'photo.png'), 'hi'], 'photo.png is named like an image but is not a PNG,'],
    [['-a', join(folder, 'noise'), 'hi'], 'noise is neither an image (PNG, JPEG, GIF, WebP) nor'],
    [
      ['-a', join(folder, 'photo.heic'), 'hi'],
      'photo.heic is image/heic; an attachment is PNG, JPEG,',
    ],
    [['-a', '', 'hi'], '--attach needs a file, a URL or -'],
  ],
  'a prompt that says nothing': () => [
    [[], 'the prompt is empty'],
    [[''], 'the prompt is empty'],
  ],
  'a file to write to without a name': () => [[['-o', '', 'hi'], '--output needs a file name']],
};

describe('svc chat, before anything is sent, refuses in one sentence', () => {
  it.each(Object.keys(cases))('%s', async (name) => {
    const service = await fakeService(events(chunks('no') + chunksEnd));
    for (const [words, sentence] of cases[name]?.(badFiles()) ?? []) {
      const line = ['chat', '-m', 'm', ...words];
      const result = await run(line, { env: service.env });
      expect(result, words.join(' ')).toMatchObject({ code: 2, stdout: '' });
      if (words.includes('--json')) {
        const { error } = JSON.parse(result.stderr);
        expect(error).toMatchObject({ exit: 2, message: expect.stringContaining(sentence) });
        continue;
      }
      expect(result.stderr, words.join(' ')).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
      expect(result.stderr).toContain(sentence);
    }
    expect(service.requests).toEqual([]);
  });

  it('an invalid base URL', async () => {
    for (const url of ['nonsense', 'ftp://h.example', 'https://', 'http://u:p@h', '://']) {
      for (const [words, env, name] of [
        [['--base-url', url], {}, '--base-url'],
        [[], { SVC_BASE_URL: url }, 'SVC_BASE_URL'],
      ] as const) {
        const line = [...words, 'chat', '-m', 'm', 'hi'];
        const result = await run(line, { env: { SVC_API_KEY: fakeKey, ...env } });
        expect(result, url).toMatchObject({ code: 2, stdout: '' });
        expect(result.stderr).toMatch(new RegExp(`^error: ${name}: [^\n]+\n(hint: [^\n]+\n)?$`));
      }
    }
    const blank = ['--base-url', ' ', 'chat', '-m', 'm', 'hi'];
    expect(await run(blank, { env: { SVC_API_KEY: fakeKey } })).toMatchObject({ code: 2 });
  });

  it('piped bytes that are not text: they would arrive altered', async () => {
    const service = await fakeService(events(chunks('no') + chunksEnd));
    for (const stdin of [Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.from([0x61, 0xc3])]) {
      const result = await run('chat -m m what?', { env: service.env, stdin });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toMatch(
        /^error: the piped input is not UTF-8 text\nhint: [^\n]+svc chat -a -[^\n]*\n$/,
      );
    }
    expect(service.requests).toEqual([]);
  });

  it('a prompt without a model, and says how to name one', async () => {
    const service = await fakeService(events(chunks('no') + chunksEnd));
    for (const more of [[], ['-m', ''], ['-m', ' ']]) {
      const result = await run(['chat', ...more, 'hi'], { env: service.env });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toMatch(
        /^error: no chat model is set\nhint: [^\n]*svc models list[^\n]*\n$/,
      );
    }
    expect(service.requests).toEqual([]);
  });
});

describe('svc chat that cannot reach a service', () => {
  it('without a key or a base URL says what to do, and exits 4', async () => {
    for (const [env, sentence] of [
      [{ SVC_API_KEY: fakeKey }, 'no base URL is known'],
      [{ SVC_BASE_URL: 'https://h.example' }, 'no key is set'],
    ] as const) {
      const result = await run('chat -m m hi', { env });
      expect(result).toMatchObject({ code: 4, stdout: '' });
      expect(result.stderr).toMatch(/^error: [^\n]+\nhint: [^\n]*svc login[^\n]*\n$/);
      expect(result.stderr).toContain(sentence);
    }
  });
});

describe('an error', () => {
  it('is one JSON object on stderr under --json, whatever was wrong', async () => {
    for (const [words, error] of [
      [['--format', 'xml', 'hi'], { exit: 2, code: 'usage' }],
      [['--schema', '/none', 'hi'], { exit: 2, code: 'no_such_file' }],
      [['--no-such', 'hi'], { exit: 2, code: 'usage' }],
      [[], { exit: 2, code: 'empty_prompt' }],
      [['-m', 'nope', 'hi'], { exit: 3, status: 404, code: 'model_not_found' }],
    ] as const) {
      const { stdout, stderr } = await run(['--local', 'chat', '--json', ...words]);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect(JSON.parse(stderr)).toEqual({
        error: expect.objectContaining({ ...error, message: expect.any(String) }),
      });
    }
  });
});
