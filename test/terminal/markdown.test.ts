import { describe, expect, test } from 'vitest';
import { seeded, type Random } from '../helpers/random.js';
import { openScreen, sentFor, shown, type Look } from './rendered.js';
import { readable } from './styled.js';

const drawn = async (text: string, look?: Look) => shown(await sentFor([text], look), look);

/** b is bold, c cyan, d dim, g green, i italic, u underlined, y yellow. */
const styled = async (text: string, look?: Look) =>
  readable((await sentFor([text], look)).join(''));

const marked = [
  ['**strong**, *so* and ***both***', '⟨b:strong⟩, ⟨i:so⟩ and ⟨bi:both⟩'],
  ['**a *b* c** d', '⟨b:a ⟩⟨bi:b⟩⟨b: c⟩ d'],
  ['**Note:**text', '⟨b:Note:⟩text'],
  ['这是**重点**内容，**“引用”**后', '这是⟨b:重点⟩内容，⟨b:“引用”⟩后'],
  ['**ещё** и *e\u0301*', '⟨b:ещё⟩ и ⟨i:e\u0301⟩'],
  ['`a ** b` *c*', '⟨c:a ** b⟩ ⟨i:c⟩'],
  ['# A *b* `c`\ntext', '⟨b:A ⟩⟨bi:b⟩⟨b: ⟩⟨bc:c⟩\ntext'],
  ['~~gone~~ \\*a\\* &amp;&lt;', '⟨d:gone⟩ *a* &<'],
  ['[the docs](https://a.b/c_(d)) x', 'the docs (⟨u:https://a.b/c_(d)⟩) x'],
  ['https://a.b/c. <https://d.e>', '⟨u:https://a.b/c⟩. ⟨u:https://d.e⟩'],
  ['https://a.b/Мир，b', '⟨u:https://a.b/Мир⟩，b'],
  ['https://a.b/%D0%9C `https://a.b/%D0%9C`', '⟨u:https://a.b/М⟩ ⟨c:https://a.b/%D0%9C⟩'],
  ['![a cat](https://a.b/c.png)', 'a cat (⟨u:https://a.b/c.png⟩)'],
  ['- a\n  - b\n\n1) c\n- [x] d\n- [ ] e', '⟨d:•⟩ a\n  ⟨d:•⟩ b\n\n⟨d:1)⟩ c\n⟨d:☑⟩ d\n⟨d:☐⟩ e'],
  ['> a\n>\n> - b', '⟨d:│⟩ a\n⟨d:│⟩ \n⟨d:│⟩ ⟨d:•⟩ b'],
  ['a  \nb\\\nc<br>d\ne', 'a\nb\nc\nd e'],
  ['```js\nconst a = 1; // b\n```', '⟨c:const⟩ ⟨c:a⟩ = ⟨y:1⟩; ⟨d:// b⟩'],
  ['~~~\n# **a**\n~~~\n*b*', '⟨c:# **a**⟩\n⟨i:b⟩'],
  ['a *b*:\n\n```sh\nls\nls -l\n```', 'a ⟨i:b⟩:\n\n⟨c:ls⟩\n⟨c:ls⟩ ⟨c:-l⟩'],
  ['```py\n"""a\nb"""\n```', '⟨g:"""a⟩\n⟨g:b"""⟩'],
] as const;

test.each(marked)('the marks are hidden in %j', async (text, expected) => {
  expect((await styled(text)).trimEnd()).toBe(expected);
});

const unmarked = [
  'snake_case_words, __init__ and _x_',
  '2 * 3 * 4, 2*3*4, 2**3**4, x*y, naïve*a*, слово*а*',
  '*.png, src/**/*.ts, a.*b, /* c */, count(*), "*", x **= 2',
  '[1], f(x)[0], a < b, Array<string>, ~5 and ~6',
  '\\(a_1 \\cdot b\\) and \\[x\\]',
  '*args and **kwargs',
];

test.each(unmarked)('%s is not Markdown', async (text) => {
  expect(await styled(text)).toBe(text);
});

test('a reference to a control character cannot control the terminal', async () => {
  const text = 'a &#27;]52;c;eA==&#7; &#x9b;2J *&#8238;b* [c&#27;[2J](https://a.b) d&#10;e&#13;f\n';
  const sent = (await sentFor([`# ${text}`, `\n> - ${text}`, `\n|a|\n|-|\n|${text}`])).join('');
  expect(sent).toContain('␛]52;c;eA==␇');
  expect(sent.replaceAll(/\u001b\[\d*[mAJ]/g, '')).not.toMatch(/[^\P{Cc}\r\n]|\u202e/u);
});

const page = `## Plan

A paragraph that is **longer than** the screen is wide.

- an item that is longer than the screen is wide
  1. nested and longer than the screen is
  2. [ ] second

   \`\`\`sh
   echo "a line that is longer than the screen is" | cat
     \tb
   \`\`\`

| Name | 价格 | Note |
|:-----|----:|:---:|
| Alpha | 10 | \`x\` |
| 中文 | 2 000 | **yes** |

| Setting | What it is for |
|---|---|
| timeout | how long to wait for an answer<br>in seconds |

---
中文文字没有空格，需要在屏幕的宽度处换行，不能在标点之前断开。
`;

test('a page is drawn at 40 columns', async () => {
  expect(await drawn(page, { columns: 40 })).toEqual([
    'Plan',
    '',
    'A paragraph that is longer than the',
    'screen is wide.',
    '',
    '• an item that is longer than the screen',
    '  is wide',
    '  1. nested and longer than the screen',
    '     is',
    '  2. ☐ second',
    '',
    'echo "a line that is longer than the screen is" | cat',
    '        b',
    '',
    'Name    价格  Note',
    '─────  ─────  ────',
    'Alpha     10   x',
    '中文   2 000  yes',
    '',
    'Setting  What it is for',
    '───────  ──────────────────────────────',
    'timeout  how long to wait for an answer',
    '         in seconds',
    '',
    '────────────────────────────────────────',
    '中文文字没有空格，需要在屏幕的宽度处换',
    '行，不能在标点之前断开。',
  ]);
});

/** Short documents of what models write, and of what they leave unfinished. */
const documents = [
  ...marked.map(([text]) => text),
  ...unmarked,
  page,
  ...['a\n\nb\n\n\n\nc', 'Title\n===\ntext', '# One\n## Two *b*\ntext', '***\n---\n____'],
  ...['**open', 'a *open b\n\nc', '`open\n\nb', '~~x', '```\nopen', '```', '| a |\n|---|\n| open'],
  ...[`https://a.b/${'%D0%9C%D0%B8%D1%80/'.repeat(20)} end`],
  ...['[a](https://b.c) [d] [e](f', '[a [b] c](https://d.e/f_(g))', '[a]: https://b.c\n\n[a]'],
  ...[`https://a.b/${'long/'.repeat(30)} end`, 'x'.repeat(100), '| not a table', '| a | b |\nc'],
  ...['- a\n\n- b\n\n  c\n- d', '1. a\n2. b\n10. c', '* a\n+ b\n- c'],
  ...['- \n- a', 'text\n- a\n- b\ntext', '    a\n    b\nc', '```a``` b\nc'],
  ...['```\n\na\n\n\nb\n```\nc', '````md\n```js\na\n```\n````\nb'],
  '- a\n  ```sh\n  b\n  ```\n  c\n- d\n\n1. a\n\n   ```py\n   b\n     c\n   ```\n\n2. d',
  'a\n```\n\tb\n```\n\n- c\n\n  ```\n  \td\n  ```',
  ...['> - a\n>   b\n>> c', '> ```\n> a\n> ```\n> b', '<div>\n<b>a</b>\n</div>\n\nb'],
  '| a | b |\n|---|--:|\n| c | 10 |\n| longer | 2 |\n\nd\n\na | b\n-|-\n中文 | d',
  '| a | b |\n|---|---|\n| `c` | a cell that is too long for forty columns |',
  'Это **важный** текст: слово за словом, пока строка не кончится.',
  '🌍 é e\u0301 한국어 텍스트 ひらがな',
  '这是**重点**内容，“引用”（括号）。'.repeat(6),
];

function cut(text: string, random: Random): string[] {
  const max = random.pick([1, 2, 5, 20]);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0) {
    pieces.push(text.slice(at, at + 1 + random.below(max)));
  }
  return pieces;
}

describe.each([40, 80])('at %i columns, however it is cut, the same is shown of', (columns) => {
  test.each(documents.map((text, seed) => [text, seed] as const))('%j', async (text, seed) => {
    const whole = await drawn(text, { columns });
    for (const pieces of [Array.from(text), cut(text, seeded(seed)), cut(text, seeded(-seed))]) {
      expect(await shown(await sentFor(pieces, { columns }), { columns })).toEqual(whole);
    }
  });
});

describe('what is on the screen', () => {
  test('is not written again: words, items and lines of code', async () => {
    const text =
      'Some **words** here.\n\n- one *a*\n- two `b`\n\n```js\nlet a;\nlet b;\n```\n\nEnd.\n';
    const sent = (await sentFor(Array.from(text))).join('');
    expect(sent).not.toMatch(/\r|\u001b\[\d*[AJK]/);
    expect(sent.match(/here|one|two|End/g)).toEqual(['here', 'one', 'two', 'End']);
  });

  test('is drawn again where the current block has changed', async () => {
    const sent = await sentFor(['| a | b |\n|-|-|\n| c | d |\n', '| longer | e |\n', '\nend ']);
    expect(sent.slice(0, 2).map(readable)).toEqual([
      '⟨b:a⟩    ⟨b:b⟩\n⟨d:───⟩  ⟨d:───⟩\nc    d',
      '\r\u001b[2A\u001b[J⟨b:a⟩       ⟨b:b⟩\n⟨d:──────⟩  ⟨d:───⟩\nc       d\nlonger  e',
    ]);
    expect((await sentFor(['A title ', '\n===\n'])).map(readable)[1]).toBe('\r\u001b[J⟨b:A title⟩');
  });

  test.each([0, 3])('is left alone with %i rows, and nothing is lost', async (rows) => {
    const table = `| a | b |\n|-|-|\n${'| c | d |\n'.repeat(5)}`;
    const look = { rows };
    const lines = await shown(await sentFor([table, '| longer | e |\n', 'x y\n'], look));
    expect(lines.slice(-3)).toEqual(['c    d', 'longer  e', 'x y']);
    expect(lines).toHaveLength(9);
  });

  test('is left alone once something else was written below it', async () => {
    const { screen } = openScreen();
    const first = screen.push('| a | b |\n|-|-|\n| c | d |\n');
    screen.interrupt();
    const second = screen.push('| longer | e |\n\nSome **bold');
    screen.interrupt();
    const third = screen.push(' words** and');
    expect(await shown([first, '\n(aside)\n', second, '\n(aside)\n', third, screen.end()])).toEqual(
      [
        ...['a    b', '───  ───', 'c    d', '(aside)', 'longer  e', '', 'Some', '(aside)'],
        'bold words and',
      ],
    );
  });

  test('keeps its lines when the window changes; what follows has the new width', async () => {
    const { screen, size } = openScreen({ columns: 30 });
    const first = screen.push('A paragraph with words and more wo');
    size.columns = 20;
    const second = screen.push('rds than fit into it. Next line.');
    expect(await shown([first, second, screen.end()])).toEqual([
      ...['A paragraph with words and', 'more', 'words', 'than fit into it.', 'Next line.'],
    ]);
  });
});

test('the lines of code are its bytes, also in lists', async () => {
  const code = 'if a:\n\tb = 1\n\n    c = "x  y"\n';
  const indented = code.replaceAll(/^(?=.)/gm, '   ');
  for (const text of [`\`\`\`\n${code}\`\`\``, `1. a\n   \`\`\`\n${indented}   \`\`\``]) {
    expect((await sentFor(Array.from(text), { columns: 10 })).join('')).toContain(
      code.replaceAll(/^(.+)$/gm, '\u001b[36m$1\u001b[39m').trimEnd(),
    );
  }
});

test('a table that the screen is too narrow for becomes a line for each cell', async () => {
  const titles = ['one', 'two', 'three', 'four'].map((title) => `${title} title`);
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const text = row(titles) + row(['-', '-', '-', '-']) + row(['a', 'b', 'c d', 'e']).repeat(2);
  const lines = ['one title: a', 'two title: b', 'three title: c d', 'four title: e'];
  expect(await drawn(text, { columns: 30 })).toEqual([...lines, '', ...lines]);
});

test('only addresses of the web become links', async () => {
  const text = '[a](https://b.c/d) [e](javascript:f) [g](file:///h) [i](https://j@k.l)';
  const sent = (await sentFor([text], { takesLinks: true })).join('');
  expect(sent.match(/\u001b\]8;;[^\u001b]+/g)).toEqual(['\u001b]8;;https://b.c/d']);
  expect(sent).toContain('javascript:f');
  const encoded = (await sentFor(['https://a.b/%D0%9C'], { takesLinks: true })).join('');
  expect(encoded).toMatch(/\]8;;https:\/\/a.b\/%D0%9C\u001b.*https:\/\/a.b\/М/);
});
