import { describe, expect, test } from 'vitest';
import { styleFor } from '../../src/terminal/screen.js';
import { drawFields, growingTable } from '../../src/terminal/table.js';
import { readable } from './styled.js';

const columns = [{ title: 'model' }, { title: 'price', align: 'right' as const }];

test.each([
  ['numbers to the right, without trailing blanks', 'x', 'x            12.25'],
  ['a cell on its line', 'a\r\nb\tc', 'a b c        12.25'],
  ['an address decoded', 'http://a/%D1%8F', 'http://a/я   12.25'],
  ['letters at their width', '价格e\u0301👩‍👩‍👧‍👦', '价格e\u0301👩‍👩‍👧‍👦      12.25'],
])('columns stand under their titles, %s', (_, cell, line) => {
  const drawn = growingTable(columns)([
    ['maker/model', '0.5'],
    [cell, '12.25'],
  ]);
  expect(drawn).toBe(['model        price', 'maker/model   0.5', line, ''].join('\n'));
});

test('a table of more rows than a screen is drawn as one', () => {
  const rows = Array.from({ length: 2000 }, (_, row) => [`é${'e'.repeat(row % 4)}`, String(row)]);
  const [head, ...lines] = growingTable(columns)(rows).trimEnd().split('\n');
  expect(head).toBe('model  price');
  expect(lines).toEqual(rows.map(([name = '', price = '']) => name.padEnd(7) + price.padStart(5)));
});

describe('a table that does not fit', () => {
  const flexible = [
    { title: 'ID' },
    { title: 'NOTE', min: 6 },
    { title: 'AGE', drop: 1 },
    { title: 'SIZE', drop: 2 },
  ];
  const note = 'a long note';

  test.each<[what: string, width: number, lines: string[], more?: string[]]>([
    ['is whole', 32, ['ID    NOTE         AGE    SIZE', 'id_1  a long note  5 min  12 kB']],
    ['has cells cut', 28, ['ID    NOTE      AGE    SIZE', 'id_1  a long…   5 min  12 kB']],
    ['lacks columns by rank', 25, ['ID    NOTE         AGE', 'id_1  a long note  5 min']],
    ['has cells of those left cut', 13, ['ID    NOTE', 'id_1  a long…']],
    ['has cells cut below the least width', 11, ['ID    NOTE', 'id_1  a lo…']],
    ['lacks an empty column', 40, ['ID    NOTE', 'id_1  a long note'], ['', '']],
  ])('%s at %i columns', (_, width, lines, more = ['5 min', '12 kB']) => {
    const drawn = growingTable(flexible, { width })([['id_1', note, ...more]]);
    expect(drawn).toBe(`${lines.join('\n')}\n`);
  });

  test('continues the cells of a wrapping column below themselves', () => {
    const wrapping = [{ title: 'ID' }, { title: 'NOTE', min: 6, wraps: true }];
    expect(growingTable(wrapping, { width: 13 })([['id_1', note]])).toBe(
      'ID    NOTE\nid_1  a long\n      note\n',
    );
  });

  test('keeps its columns as more rows come', () => {
    const table = growingTable(flexible, { width: 19 });
    expect(table([['1', 'ab', 'c', 'd']])).toBe('ID  NOTE  AGE  SIZE\n1   ab    c    d\n');
    expect(table([['22', 'abcdefghij', 'c', 'd']])).toBe('22  abc…  c    d\n');
  });
});

describe('a table with ids and amounts', () => {
  const list = [
    { title: 'JOB', isId: true },
    { title: 'PRICE', align: 'right' as const, drop: 1 },
    { title: 'PROMPT', min: 10 },
  ];
  const rows = [
    ['job_0123456789abcdef', '0.022 RUB', 'a harbour with boats'],
    ['job_fedcba9876543210', '1,234.50 RUB', 'a storm'],
    ['-', '-', ''],
  ];

  test.each<[what: string, width: number, lines: string[]]>([
    [
      'has point below point',
      60,
      [
        'JOB                           PRICE  PROMPT',
        'job_0123456789abcdef      0.022 RUB  a harbour with boats',
        'job_fedcba9876543210  1,234.50  RUB  a storm',
        '-                                 -',
      ],
    ],
    [
      'has ids cut before words',
      50,
      [
        'JOB                    PRICE  PROMPT',
        'job_01234567…      0.022 RUB  a harbour with boats',
        'job_fedcba98…  1,234.50  RUB  a storm',
        '-                          -',
      ],
    ],
    [
      'has ids of eight characters, and then words cut',
      40,
      [
        'JOB                PRICE  PROMPT',
        'job_0123…      0.022 RUB  a harbour wit…',
        'job_fedc…  1,234.50  RUB  a storm',
        '-                      -',
      ],
    ],
    [
      'has no RUB where an amount would be left out',
      35,
      [
        'JOB            PRICE  PROMPT',
        'job_0123…      0.022  a harbour wi…',
        'job_fedc…  1,234.50   a storm',
        '-                  -',
      ],
    ],
    [
      'leaves amounts out before it cuts their digits',
      24,
      ['JOB        PROMPT', 'job_0123…  a harbour wi…', 'job_fedc…  a storm', '-'],
    ],
  ])('%s at %i columns', (_, width, lines) => {
    expect(growingTable(list, { width })(rows)).toBe(`${lines.join('\n')}\n`);
  });

  test('cuts words below their least, and no digit of an amount that stays', () => {
    const kept = [{ title: 'MODEL' }, { title: 'PRICE', align: 'right' as const }];
    expect(growingTable(kept, { width: 12 })([['vendor/model', '12.40 RUB']])).toBe(
      'MODEL  PRICE\nvend…  12.40\n',
    );
  });
});

test('fields stand below each other; words stay complete, JSON is cut, a name is not repeated', () => {
  const fields = [
    ['Model', 'one two three'],
    ['Address', 'https://example.com/long'],
    ['Address', '{"a":1,"b":2}'],
  ];
  expect(drawFields(fields, { width: 18 })).toBe(
    `Model    one two
         three
Address  https://example.com/long
         {"a":1,"…
`,
  );
});

test('a state has the colour of its meaning, and a count that of the state above it', () => {
  const style = styleFor({}, true);
  const states = ['done', 'failed', 'running', 'unknown', 'closed', 'новый'];
  const table = growingTable([{ title: 'STATE' }, { title: 'FAILED', align: 'right' }], { style });
  const [head = '', ...rows] = table(states.map((state, index) => [state, String(index)])).split(
    '\n',
  );
  expect(readable(head)).toBe('⟨b:STATE    FAILED⟩');
  expect(rows.map((row) => readable(row).replace(/ +/g, ' '))).toEqual([
    '⟨g:done⟩ 0',
    '⟨r:failed⟩ ⟨r:1⟩',
    '⟨y:running⟩ ⟨r:2⟩',
    '⟨y:unknown⟩ ⟨r:3⟩',
    '⟨d:closed⟩ ⟨r:4⟩',
    'новый ⟨r:5⟩',
    '',
  ]);
  const fields = [
    ['State', 'failed'],
    ['Note', 'failed'],
    ['failed', '3'],
  ];
  expect(readable(drawFields(fields, { style }))).toBe(
    '⟨b:State⟩   ⟨r:failed⟩\n⟨b:Note⟩    failed\n⟨b:failed⟩  ⟨r:3⟩\n',
  );
});
