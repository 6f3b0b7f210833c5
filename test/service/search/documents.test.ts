import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  findFiles,
  folderLimits,
  readDocument,
  plainText,
  splitTitle,
  manualDocuments,
  manualPage,
} from '../../../src/service/search/documents.js';
import { testFolder } from '../../helpers/folder.js';
import { passages } from '../../../src/service/engines/manual.js';

async function names(folder: string): Promise<string[]> {
  return (await findFiles(folder)).map(({ path }) => basename(path));
}

/** The texts that are read, by their titles. */
async function texts(folder: string): Promise<Record<string, string>> {
  const found = await Promise.all((await findFiles(folder)).map(readDocument));
  return Object.fromEntries(found.flatMap((one) => (one ? [[one.title, one.text]] : [])));
}

it('findFiles finds texts and Markdown in every folder, by name, and follows no link', async () => {
  const [folder, outside] = [testFolder(), testFolder()];
  for (const name of ['b/c', '.git', 'node_modules', 'folder.md']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const written = ['z.MD', 'a.txt', 'b/m.markdown', 'b/c/n.text'];
  const others = ['x.pdf', 'y.js', 'README', '.hidden.md', '.git/c.md', 'node_modules/c.md'];
  for (const name of [...written, ...others]) writeFileSync(join(folder, name), 'text');
  writeFileSync(join(outside, 'secret.md'), 'secret');
  symlinkSync(join(outside, 'secret.md'), join(folder, 'file.md'));
  symlinkSync(outside, join(folder, 'folder'));
  symlinkSync(folder, join(folder, 'circle'));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'broken.md'));
  execFileSync('mkfifo', [join(folder, 'pipe.txt')]);
  writeFileSync(join(folder, 'large.txt'), '');
  truncateSync(join(folder, 'large.txt'), folderLimits.fileBytes + 1);
  expect(await names(folder)).toEqual(['a.txt', 'n.text', 'm.markdown', 'z.MD']);
});

it('findFiles skips what may not be read', async () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'good.md'), 'good');
  writeFileSync(join(folder, 'closed.md'), 'closed');
  chmodSync(join(folder, 'closed.md'), 0);
  // Nothing is closed to root.
  const closed = process.getuid?.() === 0 ? { 'closed.md': 'closed' } : {};
  expect(await texts(folder)).toEqual({ 'good.md': 'good', ...closed });
});

it('findFiles stops at so many files', async () => {
  const folder = testFolder();
  for (let nth = 0; nth < folderLimits.files + 3; nth += 1) {
    writeFileSync(join(folder, `${String(nth).padStart(5, '0')}.txt`), '');
  }
  const found = await names(folder);
  expect(found).toHaveLength(folderLimits.files);
  expect(found.at(-1)).toBe('04999.txt');
});

it('findFiles stops at so many bytes', async () => {
  const folder = testFolder();
  for (let nth = 10; nth < 30; nth += 1) {
    writeFileSync(join(folder, `${String(nth)}.txt`), '');
    truncateSync(join(folder, `${String(nth)}.txt`), folderLimits.fileBytes);
  }
  writeFileSync(join(folder, 'last.txt'), '');
  expect(await names(folder)).toHaveLength(17);
});

it.each(['nowhere', 'file.md'])('findFiles refuses %s in place of a folder', async (name) => {
  const folder = testFolder();
  writeFileSync(join(folder, 'file.md'), 'text');
  await expect(findFiles(join(folder, name))).rejects.toMatchObject({ code: 'corpus_unusable' });
});

async function read(name: string, content: string | Uint8Array) {
  const folder = testFolder();
  writeFileSync(join(folder, name), content);
  const [found] = await findFiles(folder);
  return found && readDocument(found);
}

it.each([
  ['a.md', 'x\n\n## The *title* ##\n\ntext', { title: 'The title', writing: 'latin' }],
  ['a.md', 'no heading', { title: 'a.md' }],
  ['a.txt', '# no heading', { title: 'a.txt' }],
  ['на #1?%.md', 'text', { address: '/corpus/%D0%BD%D0%B0%20%231%3F%25.md' }],
  ['a.txt', 'Привет, world', { writing: 'cyrillic' }],
  ['a.txt', '北京今天下雨了', { writing: 'other' }],
  ['a.txt', '123', { writing: 'latin' }],
])('readDocument reads title, address and script of %s with %j', async (name, content, facts) => {
  expect(await read(name, content)).toMatchObject(facts);
});

it.each([
  ['no UTF-8', Buffer.from([0x63, 0xff, 0xfe])],
  ['binary', 'a\0b'],
])('readDocument skips what is %s', async (_, content) => {
  expect(await read('a.txt', content)).toBeUndefined();
});

it('readDocument skips what has become a link since it was found', async () => {
  const [folder, outside] = [testFolder(), testFolder()];
  writeFileSync(join(outside, 'a.md'), 'secret');
  symlinkSync(join(outside, 'a.md'), join(folder, 'a.md'));
  symlinkSync(outside, join(folder, 'deep'));
  const stats = { address: '/corpus/a.md', isMarkdown: true, byteLength: 6, mtimeMs: 0 };
  for (const path of [join(folder, 'a.md'), join(folder, 'deep', 'a.md')]) {
    expect(await readDocument({ path, ...stats })).toBeUndefined();
  }
  expect(await readDocument({ path: join(folder, 'gone.md'), ...stats })).toBeUndefined();
});

it.each([
  ['a **bold** and `code`', 'a bold and code'],
  ['see [the page](https://a.example/b) now', 'see the page now'],
  ['![a fox](fox.png)', 'a fox'],
  ['> quoted\n> twice', 'quoted\ntwice'],
  ['- one\n* two', 'one\ntwo'],
  ['see [the page][1] or [this][]', 'see the page or this'],
  ['text\n[1]: https://a.example/b "title"\nmore', 'text\n\nmore'],
  ['<!-- YAML\nadded: v1 -->text', 'text'],
  ['<a id="x"></a><b>bold</b> <name>', '<b>bold <name>'],
  ['---\ntitle: x\n---\ntext', 'text'],
  ['```sh\nsvc balance\n```\nend', '\nsvc balance\n\nend'],
])('plainText makes %j to %j', (markdown, plain) => {
  expect(plainText(markdown)).toBe(plain);
});

it.each([
  ['# A `title`', 'A title', ''],
  ['text\n\n## Second ##\nmore', 'Second', 'text\n\n\nmore'],
  ['#hashtag', undefined, '#hashtag'],
  ['text', undefined, 'text'],
])('splitTitle of %j gives %j', (markdown, title, rest) => {
  expect(splitTitle(markdown)).toEqual({ title, rest });
});

it('the pages of the manual have an address each, and none is lost', () => {
  const documents = manualDocuments();
  expect(documents).toHaveLength(passages.length);
  for (const { address } of documents) {
    expect(address).toMatch(/^\/manual\/[a-z0-9-]+$/);
    expect(manualPage(address)).toMatch(/^# \S/);
  }
});
