import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusal, schema } from '../../helpers/fake-media.js';
import { testFolder } from '../../helpers/folder.js';
import { scene, type Scene } from './scene.js';

/** Files of each kind that a command line may name. */
function sources(): Record<'png' | 'mp3' | 'text' | 'empty' | 'folder' | 'json' | 'list', string> {
  const folder = testFolder();
  const at = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, 'latin1');
    return join(folder, name);
  };
  mkdirSync(join(folder, 'sub'));
  return {
    png: at('a.png', '\x89PNG\r\n\x1a\n picture'),
    mp3: at('a.mp3', 'ID3\x03 sound'),
    text: at('a.txt', 'words'),
    empty: at('empty', ''),
    folder: join(folder, 'sub'),
    json: at('a.json', '{"size": "16:9"}'),
    list: at('list.json', '[1]'),
  };
}

const spent = (at: Scene) => at.calls().filter((call) => !call.includes('/api/media/price'));
const files = sources;

describe('options that do not fit the model', () => {
  it.each([
    [['--opt', 'sise=1:1'], 'vendor/canvas has no option sise; did you mean size?'],
    [
      ['--opt', 'volume=3'],
      'vendor/canvas has no option volume; it takes size, n, seed, sharp, style, tags, extra, image_url, image_file_id or image_base64',
    ],
    [['--opt', 'size=16:8'], 'size must be 1:1, 16:9 or 9:16; did you mean 16:9?'],
  ])('%j: %s', async (more, message) => {
    const at = await scene();
    const result = await at.make(['x', ...more]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toBe(
      `error: ${message}\nhint: see what it takes: \`svc generate vendor/canvas --help\`\n`,
    );
    expect(at.calls()).toEqual([]);
  });

  it('are told all at once, one a line', async () => {
    const at = await scene();
    const result = await at.make(['--opt', 'n=9', '--opt', 'sise=1:1']);
    expect(result.stderr).toBe(
      'error: the request does not fit vendor/canvas:\n' +
        '  prompt is missing\n' +
        '  vendor/canvas has no option sise; did you mean size?\n' +
        '  n must be a whole number from 1 to 4\n' +
        'hint: see what it takes: `svc generate vendor/canvas --help`\n',
    );
    expect(at.calls()).toEqual([]);
  });

  it.each([['closed', { additionalProperties: false }]])(
    'are not those that every job has, where the schema is %s',
    async (_, closing) => {
      const at = await scene();
      const properties = { model: {}, prompt: { type: 'string' }, opts: schema.properties.opts };
      const requestJsonSchema = { type: 'object', properties, ...closing };
      at.media.models = [{ id: 'vendor/canvas', operations: [{ id: 'make', requestJsonSchema }] }];
      const url = 'https://example.org/hook';
      const line = ['x', '--strict', '--webhook-url', url, '--opt', 'n=2', '--max-price', '20'];
      expect(await at.make(line)).toMatchObject({ code: 0 });
      expect(at.submitted()[0]).toMatchObject({ strict: true, webhook_url: url, opts: { n: 2 } });
      const priced = await at.svc('generate vendor/canvas x --strict --quote');
      expect(priced).toMatchObject({ code: 0 });
      expect((await at.make('x --opt size=2:1 --strict')).code).toBe(2);
    },
  );
});

describe('a command line that makes no sense', () => {
  it.each([
    [['--opt', 'size'], '--opt needs NAME=VALUE, not "size"'],
    [['--opt', 'n=1', '--opt', 'n=2'], '--opt n is given twice'],
    [['--opt', 'extra={'], 'extra must be a JSON object, and what was given is no JSON'],
    [['--opt', 'size=@/nowhere'], '--opt size: there is no file /nowhere'],
    [['--opts', 'TEXT'], '--opts: TEXT is not JSON'],
    [['--opts', 'LIST'], '--opts: LIST holds no JSON object'],
    [['--input', '/nowhere.png'], '--input: there is no file /nowhere.png'],
    [['--input', 'image_file_id=file_abc'], '--input: there is no file file_abc'],
    [['--input', 'EMPTY'], 'EMPTY is empty'],
    [['--input', 'TEXT'], 'it is not clear which option a.txt fills'],
    [['--input', 'MP3'], 'vendor/canvas takes no audio as a source'],
    [['--input', 'image=MP3'], 'a.mp3 is audio, and image_file_id takes an image'],
    [['--input', 'image_url=PNG'], 'image_url takes a URL, and a.png is none'],
    [['--input', 'PNG', '--input', 'PNG'], 'image_file_id is given twice'],
    [
      ['--input', 'PNG', '--opt', 'image_file_id=f'],
      'image_file_id is given both as an option and by --input',
    ],
    [['--inline'], '--inline needs --input'],
    [['--webhook-url', 'http://me.example'], '--webhook-url: webhook_url must be an https URL'],
    [
      ['--quote-id', 'q_1'],
      '--quote-id: quote_id must be the id of a price quote, which starts with mq_',
    ],
    [['--quote-id', 'mq_1', '--quote'], '--quote and --quote-id cannot go together'],
    [['--quote', '--no-wait'], '--quote and --no-wait cannot go together'],
  ])('%j: %s', async (more, message) => {
    const at = await scene();
    const known = files();
    const fill = (text: string) =>
      text
        .replace('TEXT', known.text)
        .replace('LIST', known.list)
        .replace('FOLDER', known.folder)
        .replace('EMPTY', known.empty)
        .replace('MP3', known.mp3)
        .replace('PNG', known.png);
    const line = ['generate', 'vendor/canvas', 'x', ...more.map(fill)];
    const result = await at.svc(line, { stdin: 'x' });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr.split('\n')[0]).toBe(`error: ${fill(message)}`);
    // One sentence, with at most a hint.
    expect(result.stderr.trimEnd().split('\n').length).toBeLessThan(3);
    expect(at.calls()).toEqual([]);
    expect(at.ledger()).toEqual([]);
  });

  it.each([
    ['--json', '-o - and --json cannot go together'],
    ['--no-wait', '--no-wait and --output cannot go together'],
  ])('-o - with %s', async (flag, message) => {
    const at = await scene();
    const { code, stderr } = await at.svc(['generate', 'vendor/canvas', 'x', '-o', '-', flag]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(at.requests).toEqual([]);
  });

  it.each([
    ['/nowhere/at/all.png', 11, 'there is no folder /nowhere/at'],
    ['/tmp/{nope}.png', 2, '-o knows no {nope}'],
    ['/tmp/{job}/a.png', 2, 'the folder of -o can hold no {…}: only the name of the file can'],
    ['', 2, '--output needs a name'],
  ])('-o %s', async (output, code, message) => {
    const at = await scene();
    const result = await at.svc(['generate', 'vendor/canvas', 'x', '-o', output]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(at.requests).toEqual([]);
  });
});

describe('what the service refuses', () => {
  it.each([
    ['a wrong key', '/api/media/price', { status: 401 }, 4, 'error: the service answered 401'],
    [
      'what strict forbids',
      '/api/media/price',
      refusal(422, 'strict_validation_failed', 'not as written', { violations: [] }),
      3,
      'error: not as written\n',
    ],
  ])('%s costs nothing', async (_, path, reply, code, words) => {
    const at = await scene();
    at.media.when(path, reply);
    const result = await at.make(['x', '-q', '--input', files().png]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(spent(at).filter((call) => call.includes('generate'))).toEqual([]);
  });
});
