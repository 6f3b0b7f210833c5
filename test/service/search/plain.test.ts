import { describe, expect, it } from 'vitest';
import { plainText, splitTitle } from '../../../src/service/search/documents.js';

describe('plainText', () => {
  it.each([
    ['# Title', 'Title'],
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
    ['a_b_c and 2 * 3', 'a_b_c and 2  3'],
    ['[not a link] (at all)', '[not a link] (at all)'],
  ])('makes %j to %j', (markdown, plain) => {
    expect(plainText(markdown)).toBe(plain);
  });

  it('keeps what stands in a fence', () => {
    expect(plainText('```sh\nsvc balance\n```\nend').trim()).toBe('svc balance\n\nend');
  });

  it.each([
    '['.repeat(50_000),
    '![](('.repeat(20_000),
    '#'.repeat(100_000),
    '---\n'.repeat(50_000),
    '<!--'.repeat(25_000),
    '<a '.repeat(30_000),
  ])('is quick with what was made to be slow (case %#)', (text) => {
    const startedMs = performance.now();
    plainText(text);
    splitTitle(text);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });
});

describe('splitTitle', () => {
  it.each([
    ['# A `title`', 'A title', ''],
    ['text\n\n## Second ##\nmore', 'Second', 'text\n\n\nmore'],
    ['### Third', undefined, '### Third'],
    ['#', undefined, '#'],
    ['#hashtag', undefined, '#hashtag'],
    ['text', undefined, 'text'],
  ])('of %j gives %j', (markdown, title, rest) => {
    expect(splitTitle(markdown)).toEqual({ title, rest });
  });
});
