import { describe, expect, test } from 'vitest';
import { MarkdownStyler } from '../../src/terminal/markdown.js';
import { styleFor } from '../../src/terminal/screen.js';
import { seeded, type Random } from '../helpers/random.js';
import { readable, takeApart } from './styled.js';

/** What a terminal is given for each piece, and for the end. */
function styledPieces(pieces: readonly string[]): string[] {
  const styler = new MarkdownStyler(styleFor({}, true));
  return [...pieces.map((piece) => styler.push(piece)), styler.end()];
}

/** b is bold, c is the colour of code, d is dim, i is italic, u is underlined. */
const shown = (text: string) => readable(styledPieces([text]).join(''));

describe('emphasis', () => {
  test.each([
    ['**strong**, *so* and ***both***', '⟨b:**strong**⟩, ⟨i:*so*⟩ and ⟨bi:***both***⟩'],
    ['**a *b* c** d', '⟨b:**a ⟩⟨bi:*b*⟩⟨b: c**⟩ d'],
    ['*a **b***', '⟨i:*a ⟩⟨bi:**b***⟩'],
    ['**Note:**text', '⟨b:**Note:**⟩text'],
    ['**`code` and more**', '⟨b:**⟩⟨bc:`code`⟩⟨b: and more**⟩'],
    ['这是**重点**内容，**“引用”**后', '这是⟨b:**重点**⟩内容，⟨b:**“引用”**⟩后'],
    ['**ещё** и *e\u0301*', '⟨b:**ещё**⟩ и ⟨i:*e\u0301*⟩'],
  ])('is shown in %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    ['within names', 'snake_case_words, __init__, _x_'],
    ['within words and products', '2*3*4, 2**3**4, x*y, naïve*a*, слово*а*'],
    ['beside blanks', '2 * 3 * 4, 2 ** 3, * * and ** **'],
    ['in patterns', '*.png, src/**/*.ts, a.*b, /* c */, count(*), "*", **/, [*], x **= 2, **'],
    ['after a backslash', '\\*a\\* \\`b\\` \\\\'],
    ['in rules', '***\n---\n****\n___'],
  ])('is not seen %s', (_, text) => {
    expect(shown(text)).toBe(text);
  });

  test('that nothing ends is over with its line', () => {
    expect(shown('*args and **kwargs\nnext **\n')).toBe('⟨i:*args and ⟩⟨bi:**kwargs⟩\nnext **\n');
    expect(shown('a **b\nc** d')).toBe('a ⟨b:**b⟩\nc** d');
    expect(shown('`a\nb` c')).toBe('⟨c:`a⟩\nb⟨c:` c⟩');
  });
});

describe('the styles of', () => {
  test.each([
    ['code within a line', '`a ** b` *c*', '⟨c:`a ** b`⟩ ⟨i:*c*⟩'],
    ['code within a line', '`<https://a.b>`', '⟨c:`<https://a.b>`⟩'],
    ['code within a line', '\\`a* `b`', '\\`a* ⟨c:`b`⟩'],
    // Three backticks may begin a line: what follows shows that it is not a fence.
    ['code within a line', '```a``` *b*\n*c*', '⟨d:```a⟩⟨c:```⟩ ⟨i:*b*⟩\n⟨i:*c*⟩'],
    ['addresses', '[a](https://b.c/d_(e)?f=g)', '[a](⟨u:https://b.c/d_(e)?f=g⟩)'],
    ['addresses', '[the docs](docs/a.md "title") x', '[the docs](⟨u:docs/a.md⟩ "title") x'],
    [
      'addresses',
      'see https://a.b/c. (http://d.e) <https://f.g>',
      'see ⟨u:https://a.b/c⟩. (⟨u:http://d.e⟩) <⟨u:https://f.g⟩>',
    ],
    [
      'addresses',
      'https://ru.wikipedia.org/wiki/Мир_(a)，b',
      '⟨u:https://ru.wikipedia.org/wiki/Мир_(a)⟩，b',
    ],
    [
      'addresses',
      '**https://a.b** https://c.d`e`',
      '⟨b:**⟩⟨bu:https://a.b⟩⟨b:**⟩ ⟨u:https://c.d⟩⟨c:`e`⟩',
    ],
    ['addresses', '[1] and f(x), [a] (b)', '[1] and f(x), [a] (b)'],
    ['a heading', '# A *b* `c`\ntext', '⟨b:# A ⟩⟨bi:*b*⟩⟨b: ⟩⟨bc:`c`⟩\ntext'],
    [
      'items',
      '- a\n* *b*\n+ c\n  1. d\n12) e',
      '⟨d:-⟩ a\n⟨d:*⟩ ⟨i:*b*⟩\n⟨d:+⟩ c\n  ⟨d:1.⟩ d\n⟨d:12)⟩ e',
    ],
    [
      'an item that holds more',
      '- # a\n- - b\n- > c',
      '⟨d:-⟩ ⟨b:# a⟩\n⟨d:-⟩ ⟨d:-⟩ b\n⟨d:-⟩ ⟨d:>⟩ c',
    ],
    ['quotes', '> a **b**\n>> c', '⟨d:>⟩ a ⟨b:**b**⟩\n⟨d:>>⟩ c'],
    ['a table, untouched', '| *a* | `b` |\n|---|---|\n*c*', '| *a* | `b` |\n|---|---|\n⟨i:*c*⟩'],
    [
      'CRLF',
      '# a\r\n- b\r\n```\r\n*c*\r\n```\r\n*d*\r\n',
      '⟨b:# a\r⟩\n⟨d:-⟩ b\r\n⟨d:```\r⟩\n⟨c:*c*\r⟩\n⟨d:```⟩\r\n⟨i:*d*⟩\r\n',
    ],
    [
      'a fence with a language',
      'a\n```sh\n# **b**\n\n`c`\n```\n*d*',
      'a\n⟨d:```sh⟩\n⟨c:# **b**⟩\n\n⟨c:`c`⟩\n⟨d:```⟩\n⟨i:*d*⟩',
    ],
    [
      'a fence of tildes',
      '~~~ a`b`\n```\n~~\n~~~~ \n*c*',
      '⟨d:~~~ a`b`⟩\n⟨c:```⟩\n⟨c:~~⟩\n⟨d:~~~~⟩ \n⟨i:*c*⟩',
    ],
    [
      'a fence of more marks',
      '````md\n```js\nb\n```\n````\n*c*',
      '⟨d:````md⟩\n⟨c:```js⟩\n⟨c:b⟩\n⟨c:```⟩\n⟨d:````⟩\n⟨i:*c*⟩',
    ],
    [
      'code that shows a fence',
      '```\n    ```\n``` b\n```\n*c*',
      '⟨d:```⟩\n    ⟨c:```⟩\n⟨d:```⟩ ⟨c:b⟩\n⟨d:```⟩\n⟨i:*c*⟩',
    ],
    [
      'a fence in an item',
      '- ```\n  *a*\n  ```\n  *b*',
      '⟨d:-⟩ ⟨d:```⟩\n  ⟨c:*a*⟩\n  ⟨d:```⟩\n  ⟨i:*b*⟩',
    ],
    [
      'a fence in a quote',
      '> ```\n> > *a*\n> ```\n> *b*',
      '⟨d:>⟩ ⟨d:```⟩\n⟨d:>⟩ ⟨c:> *a*⟩\n⟨d:>⟩ ⟨d:```⟩\n⟨d:>⟩ ⟨i:*b*⟩',
    ],
    ['a fence that nothing ends', '```\n*a*', '⟨d:```⟩\n⟨c:*a*⟩'],
    ['indented text', '1. a\n\n    *b*\n    - c', '⟨d:1.⟩ a\n\n    ⟨i:*b*⟩\n    ⟨d:-⟩ c'],
  ])('%s: %j', (_, text, expected) => {
    expect(shown(text)).toBe(expected);
  });
});

const fragments = [
  ...'* ** *** **** ` `` ``` ~~~ ```` _ # - 1. 10 > | \\ ( ) [ ]( ! . : "'.split(' '),
  ...'a word h http https: https://a.b :// 重点 🌍 é'.split(' '),
  ...['## ', '- ', '1. ', '> ', ' ', '  ', '    ', '\t', '\r\n', '\n', '\n', '\n\n'],
];

function anyMarkdown(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(40) }, () =>
    random.pick(['a', ...fragments]),
  );
  return parts.join('');
}

function cut(text: string, random: Random): string[] {
  const most = random.pick([1, 2, 5, 20]);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0) {
    pieces.push(text.slice(at, at + 1 + random.below(most)));
  }
  return pieces;
}

describe('any text, however it is cut,', () => {
  const texts = Array.from({ length: 500 }, (_, seed) => {
    const random = seeded(seed);
    const text = anyMarkdown(random);
    return { text, pieces: cut(text, random) };
  });

  test('is the same text once its styles are taken away', () => {
    for (const { text, pieces } of texts) {
      expect(takeApart(styledPieces(pieces).join('')).text).toBe(text);
    }
  });

  test('looks as if it had come whole', () => {
    for (const { text, pieces } of texts) {
      const whole = takeApart(styledPieces([text]).join(''));
      const looks = takeApart(styledPieces(pieces).join('')).looks;
      expect(looks, JSON.stringify(pieces)).toEqual(whole.looks);
    }
  });

  test('leaves no style open after a piece, nor at the end of a line', () => {
    for (const { pieces } of texts) {
      for (const styled of styledPieces(pieces)) {
        for (const line of styled.split('\n')) expect(takeApart(line).open).toBe('');
      }
    }
  });

  test('comes at once, but for the marks of a few characters', () => {
    for (const { pieces } of texts) {
      const styler = new MarkdownStyler(styleFor({}, true));
      let held = 0;
      for (const piece of pieces) {
        held += piece.length - takeApart(styler.push(piece)).text.length;
        expect(held).toBeLessThanOrEqual(10);
      }
    }
  });
});

test('a word and a strong word are shown as they are typed', () => {
  expect(styledPieces(['T', 'h', 'e ', '*', '*', 'a', 'b', '*', '*', ' x']).map(readable)).toEqual([
    ...['T', 'h', 'e ', '', '', '⟨b:**a⟩', '⟨b:b⟩', '', '', '⟨b:**⟩ x', ''],
  ]);
});

describe('a megabyte of', () => {
  const seeds = [
    ...['*', '`', '~', '#', '>', '(', ')', '](', '\\', '1', ' ', '\t', '- ', '*a ', '`a', 'http:'],
    ...['https://a.', '```\n', '\n', '重', 'word '],
  ];
  const withoutStyles = (styled: string) => styled.replaceAll(/\u001b\[\d+m/g, '');

  // Where a piece costs as much as all before it, none of this ends in time.
  test.each(seeds)('%j takes time in proportion to it', (seed) => {
    const text = seed.repeat(2 ** 20 / seed.length);
    expect(withoutStyles(styledPieces([text]).join('')) === text).toBe(true);
  });
});
