import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refusal, schema } from '../../helpers/fake-media.js';
import { testFolder } from '../../helpers/folder.js';
import { scene } from './scene.js';
import { fails } from '../../helpers/run.js';

/** Files of each kind that a command line may name, by the word that stands for their path. */
function sources(): Record<'PNG' | 'MP3' | 'TEXT' | 'EMPTY' | 'LIST', string> {
  const folder = testFolder();
  const at = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, 'latin1');
    return join(folder, name);
  };
  return {
    PNG: at('a.png', '\x89PNG\r\n\x1a\n picture'),
    MP3: at('a.mp3', 'ID3\x03 sound'),
    TEXT: at('a.txt', 'words'),
    EMPTY: at('empty', ''),
    LIST: at('list.json', '[1]'),
  };
}

it.each([
  [['--opt', 'sise=1:1'], 'vendor/canvas has no option sise; did you mean size?'],
  [
    ['--opt', 'volume=3'],
    'vendor/canvas has no option volume; it takes size, n, seed, sharp, style, tags, extra, image_url, image_file_id or image_base64',
  ],
  [['--opt', 'size=16:8'], 'size must be 1:1, 16:9 or 9:16; did you mean 16:9?'],
])('options that do not fit the model %j: %s', async (more, message) => {
  const at = await scene();
  const result = await at.make(['x', ...more]);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toBe(
    `error: ${message}\nhint: see its options: \`svc generate vendor/canvas --help\`\n`,
  );
  expect(at.calls()).toEqual([]);
});

it('options that do not fit the model are reported all at once, one per line', async () => {
  const at = await scene();
  expect((await at.make(['--opt', 'n=9', '--opt', 'sise=1:1'])).stderr).toBe(
    'error: the request does not fit vendor/canvas:\n' +
      '  prompt is missing\n' +
      '  vendor/canvas has no option sise; did you mean size?\n' +
      '  n must be a whole number from 1 to 4\n' +
      'hint: see its options: `svc generate vendor/canvas --help`\n',
  );
  expect(at.calls()).toEqual([]);
});

it('options that do not fit the model exclude those that every job has, even with a closed schema', async () => {
  const at = await scene();
  const properties = { model: {}, prompt: { type: 'string' }, opts: schema.properties.opts };
  const requestJsonSchema = { type: 'object', properties, additionalProperties: false };
  at.media.models = [{ id: 'vendor/canvas', operations: [{ id: 'make', requestJsonSchema }] }];
  const url = 'https://example.org/hook';
  const line = ['x', '--strict', '--webhook-url', url, '--opt', 'n=2', '--max-cost', '20'];
  expect(await at.make(line)).toMatchObject({ code: 0 });
  expect(at.submitted()[0]).toMatchObject({ strict: true, webhook_url: url, opts: { n: 2 } });
  expect(await at.svc('generate vendor/canvas x --strict --quote')).toMatchObject({ code: 0 });
  expect((await at.make('x --opt size=2:1 --strict')).code).toBe(2);
});

it.each([
  [['--opt', 'size'], '--opt needs NAME=VALUE, not "size"'],
  [['--opt', 'n=1', '--opt', 'n=2'], '--opt n is given twice'],
  [['--opt', 'extra={'], 'extra must be a JSON object, but its value is not JSON'],
  [['--opt', 'size=@/nowhere'], '--opt size: there is no file /nowhere'],
  [['--opts', 'TEXT'], '--opts: TEXT is not JSON'],
  [['--opts', 'LIST'], '--opts: LIST does not contain a JSON object'],
  [['--input', '/nowhere.png'], '--input: there is no file /nowhere.png'],
  [['--input', 'image_file_id=file_abc'], '--input: there is no file file_abc'],
  [['--input', 'EMPTY'], 'EMPTY is empty'],
  [['--input', 'TEXT'], 'it is not clear which option a.txt fills'],
  [['--input', 'MP3'], 'vendor/canvas does not accept audio as a source'],
  [['--input', 'image=MP3'], 'a.mp3 is audio, but image_file_id takes an image'],
  [['--input', 'image_url=PNG'], 'image_url takes a URL, and a.png is not one'],
  [['--input', 'PNG', '--input', 'PNG'], 'image_file_id is given twice'],
  [
    ['--input', 'PNG', '--opt', 'image_file_id=f'],
    'image_file_id is given both as an option and by --input',
  ],
  [['--webhook-url', 'http://me.example'], '--webhook-url: webhook_url must be an https URL'],
  [
    ['--quote-id', 'q_1'],
    '--quote-id: quote_id must be the id of a price quote, which starts with mq_',
  ],
  [['-o', '/tmp/{nope}.png'], '-o does not accept {nope}'],
  [['-o', '/tmp/{job}/a.png'], '-o accepts {…} only in the name of the file, not in its folder'],
  [['-o', ''], '--output needs a name'],
])('a command line that makes no sense %j: %s', async (more, message) => {
  const at = await scene();
  const paths = Object.entries(sources());
  const fill = (text: string) =>
    paths.reduce((filled, [word, path]) => filled.replace(word, path), text);
  const line = ['generate', 'vendor/canvas', 'x', ...more.map(fill)];
  const result = await at.svc(line, { stdin: 'x' });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr.split('\n')[0]).toBe(`error: ${fill(message)}`);
  // One sentence, with at most a hint.
  expect(result.stderr.trimEnd().split('\n').length).toBeLessThan(3);
  expect(at.calls()).toEqual([]);
  expect(at.ledger()).toEqual([]);
});

it('a command line that makes no sense names a missing folder for the results', async () => {
  const at = await scene();
  const result = await at.svc('generate vendor/canvas x -o /nowhere/at/all.png');
  expect(result).toMatchObject({ code: 11, stdout: '' });
  expect(result.stderr).toContain('error: there is no folder /nowhere/at\n');
  expect(at.requests).toEqual([]);
});

const strict = refusal(422, 'strict_validation_failed', 'not as written', { violations: [] });

it.each([
  ['a wrong key', { status: 401 }, 4, 'error: the service answered 401'],
  ['what strict forbids', strict, 3, 'error: not as written\n'],
])('what the service refuses %s costs nothing', async (_, reply, code, words) => {
  const at = await scene();
  at.media.when('/api/media/price', reply);
  expect(await at.make(['x', '-q', '--input', sources().PNG])).toMatchObject(fails(code, words));
  expect(at.submitted()).toEqual([]);
});
