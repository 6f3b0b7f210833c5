import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { chunks, chunksEnd, events, fakeService, json } from '../../helpers/fake-service.js';
import { fails, run } from '../../helpers/run.js';
import { folderOf } from './scene.js';

/** What precedes the prompt, with paths below the folder. */
async function sent(folder: string, ...sources: readonly string[]) {
  const files = sources.flatMap((source) => ['-f', join(folder, source)]);
  const result = await run(['--local', '--dry-run', 'chat', ...files, 'END']);
  if (result.code !== 0) return result.stderr.replaceAll(folder, 'DIR');
  const { messages } = recordOf(recordOf(JSON.parse(result.stdout))['body']);
  const text = JSON.stringify(messages).replaceAll(`${folder}/`, '');
  return { text, stderr: result.stderr };
}

/** The names of the files that are sent, in order. */
async function names(folder: string, ...sources: readonly string[]) {
  const found = await sent(folder, ...sources);
  if (typeof found === 'string') return found;
  return Array.from(found.text.matchAll(/(?:"|\\n\\n)([^"`\\]+):\\n\\n```/g), ([, name]) => name);
}

const project = {
  '.git/info/exclude': '*.tmp\n',
  '.gitignore': 'node_modules/\nbuild\n*.log\n',
  '.hidden/a.ts': 'a',
  'a.tmp': 'a',
  'b.md': 'b',
  'build/c.ts': 'c',
  'node_modules/x/d.ts': 'd',
  'src/.env': 'e',
  'src/.gitignore': '!keep.log\r\n/f.ts\r\n',
  'src/f.ts': 'f',
  'src/g/f.ts': 'g',
  'src/g/h.js': 'h',
  'src/keep.log': 'i',
  'src/other.log': 'j',
};

test('a folder gives its text files, sorted, without what git ignores', async () => {
  const folder = folderOf(project);
  expect(await names(folder, '.')).toEqual(['b.md', 'src/g/f.ts', 'src/g/h.js', 'src/keep.log']);
  expect(await names(folder, 'src', 'b.md', 'src')).toEqual([
    ...['src/g/f.ts', 'src/g/h.js', 'src/keep.log', 'b.md'],
  ]);
});

test('what is ignored or hidden is sent where it is named', async () => {
  const folder = folderOf(project);
  expect(await names(folder, 'build')).toEqual(['build/c.ts']);
  expect(await names(folder, 'src/f.ts')).toEqual(['src/f.ts']);
  expect(await names(folder, '.hidden')).toEqual(['.hidden/a.ts']);
  expect(await names(folder, 'src/.e*')).toEqual(['src/.env']);
});

test('a glob gives the files that match it', async () => {
  const folder = folderOf({ ...project, 'src/[1].ts': '1' });
  expect(await names(folder, '**/*.{ts,md}')).toEqual(['b.md', 'src/[1].ts', 'src/g/f.ts']);
  expect(await names(folder, 'src/*/*.js')).toEqual(['src/g/h.js']);
  expect(await names(folder, 'src/[1].ts')).toEqual(['src/[1].ts']);
});

test('links, pipes and other files that are not text are left out', async () => {
  const folder = folderOf({ 'a/b\nc.txt': 'b', 'a/bin': Buffer.from([1, 0, 2]), 'a/empty': '' });
  execFileSync('mkfifo', [join(folder, 'a/pipe')]);
  symlinkSync('..', join(folder, 'a/loop'));
  symlinkSync('/etc/passwd', join(folder, 'a/passwd'));
  expect(await sent(folder, 'a')).toEqual({
    text: JSON.stringify([{ role: 'user', content: 'a/b c.txt:\n\n```\nb\n```\n\nEND' }]),
    stderr: 'Skipped 1 file that is not text.\n',
  });
});

test('a file cannot close its own block', async () => {
  const folder = folderOf({ 'a.md': '```js\nx\n````\n' });
  expect(await sent(folder, 'a.md')).toMatchObject({
    text: expect.stringContaining('a.md:\\n\\n`````\\n```js\\nx\\n````\\n`````\\n\\nEND'),
  });
});

const hint = 'hint: to read hidden or ignored files, name them\n';
test.each([
  ['none', 'there is no file DIR/none\n'],
  ['bin', 'DIR/bin is not UTF-8 text\n'],
  ['empty', 'DIR/empty is empty\n'],
  ['dir', `no files found: DIR/dir\n${hint}`],
  ['*.py', `no files found: DIR/*.py\n${hint}`],
])('%s cannot be read, and is refused', async (source, words) => {
  const folder = folderOf({ bin: Buffer.from([1, 0]), empty: ' ', 'dir/.a': 'a' });
  expect(await sent(folder, source)).toBe(`error: --file: ${words}`);
});

test('more than a request takes is refused', async () => {
  const folder = folderOf({ a: 'x'.repeat(40_000_000), b: 'y'.repeat(40_000_000) });
  expect(await sent(folder, '.')).toContain('error: the text of -f is more than 71.0 MB long');
});

test('a page is fetched as it is', async () => {
  const page = '<p>Hello</p>';
  const pages = await fakeService(({ url }, response) => {
    const status = url === '/404' ? 404 : 200;
    if (url === '/away') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else if (url === '/png') response.end(Buffer.from('89504e470d0a1a0a00000000', 'hex'));
    else if (url === '/big') response.end('x'.repeat(5_000_001));
    else response.writeHead(status).end(page);
  });
  const ask = (path: string, to = ['--local'], env = {}) =>
    run([...to, '--dry-run', 'chat', '-f', `${pages.origin}${path}`, 'END'], { env });
  const text = '/:\\n\\n```\\n<p>Hello</p>\\n```\\n\\nEND"';
  expect((await ask('/')).stdout).toContain(text);
  const service = ['--base-url', pages.origin];
  const env = { SVC_API_KEY: 'sk-svc-local', SVC_MODEL: 'v/m', SVC_TAPE: 'record:no.jsonl' };
  for (const to of [['--local'], service]) expect((await ask('/', to, env)).stdout).toContain(text);
  const faults = { '/404': 'the server answered 404', '/away': '302', '/png': 'image/png' };
  for (const [path, fault] of Object.entries({ ...faults, '/big': 'more than 5000000 bytes' })) {
    expect(await ask(path)).toMatchObject(
      fails(2, `error: --file: ${pages.origin}${path}: `, fault),
    );
  }
});

/** A service with a price list. */
async function priced(text: string, words: readonly string[], typed?: readonly [string, string][]) {
  const pricing = { data: [{ id: 'v/m', input_rub_per_million: 100 }] };
  const service = await fakeService((request, response) => {
    if (request.url === '/v1/pricing') json(pricing)(request, response);
    else events(chunks('ok') + chunksEnd)(request, response);
  });
  const folder = folderOf({ 'a.txt': text });
  const line = ['chat', '-m', 'v/m', '-f', join(folder, 'a.txt'), ...words, 'hi'];
  const { stderr, code } = await run(line, { env: service.env, tty: true, typed });
  const posts = service.requests.filter(({ method }) => method === 'POST').length;
  return { stderr, code, posts };
}

test('a person sees the size and the price first', async () => {
  // With its path.
  const { stderr, posts } = await priced('x'.repeat(39_930), []);
  expect(stderr.split('\n')[0]).toBe('1 file, 40.0 kB, about 10,000 tokens, input up to 1.00 RUB');
  expect(posts).toBe(1);
  for (const flag of ['-q', '--json']) {
    expect((await priced('x', [flag])).stderr).not.toContain('1 file');
  }
});

test('a person is asked before a lot is sent', async () => {
  const lots = 'x'.repeat(500_000);
  const refused = await priced(lots, [], [['Send about 125,000 tokens?', 'n\r']]);
  expect(refused).toMatchObject({ code: 2, posts: 0 });
  expect(refused.stderr).toContain('error: nothing was sent\n');
  expect(await priced(lots, ['--yes'])).toMatchObject({ code: 0, posts: 1 });
});
