import { describe, expect, test } from 'vitest';
import { drawFields, growingTable } from '../../src/terminal/table.js';

const columns = [{ title: 'model' }, { title: 'price', align: 'right' as const }];

test.each([
  ['numbers to the right, without trailing blanks', 'x', 'x            12.25'],
  ['a cell on its line', 'a\r\nb\tc', 'a b c        12.25'],
  ['letters at their width', '价格e\u0301👩‍👩‍👧‍👦', '价格e\u0301👩‍👩‍👧‍👦      12.25'],
])('columns stand under their titles, %s', (_, cell, line) => {
  const drawn = growingTable(columns)([
    ['maker/model', '0.5'],
    [cell, '12.25'],
  ]);
  expect(drawn).toBe(['model        price', 'maker/model    0.5', line, ''].join('\n'));
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
  const row = ['id_1', 'a long note', '5 min', '12 kB'];

  test.each([
    [
      'is as wide as its cells where there is room',
      32,
      row,
      ['ID    NOTE         AGE    SIZE', 'id_1  a long note  5 min  12 kB'],
    ],
    [
      'first cuts what may be cut',
      28,
      row,
      ['ID    NOTE      AGE    SIZE', 'id_1  a long…   5 min  12 kB'],
    ],
    [
      'then leaves out columns by their rank',
      25,
      row,
      ['ID    NOTE         AGE', 'id_1  a long note  5 min'],
    ],
    ['then cuts again', 13, row, ['ID    NOTE', 'id_1  a long…']],
    ['cuts below the least width at last', 11, row, ['ID    NOTE', 'id_1  a lo…']],
    [
      'leaves out an empty column',
      40,
      [...row.slice(0, 2), '', ''],
      ['ID    NOTE', 'id_1  a long note'],
    ],
  ])('%s', (_, width, cells, lines) => {
    expect(growingTable(flexible, { width })([cells])).toBe(`${lines.join('\n')}\n`);
  });

  test('continues the cells of a wrapping column below themselves', () => {
    const wrapping = [{ title: 'ID' }, { title: 'NOTE', min: 6, wraps: true }];
    expect(growingTable(wrapping, { width: 13 })([['id_1', 'a long note']])).toBe(
      'ID    NOTE\nid_1  a long\n      note\n',
    );
  });

  test('keeps its columns as more rows come', () => {
    const table = growingTable(flexible, { width: 19 });
    expect(table([['1', 'ab', 'c', 'd']])).toBe('ID  NOTE  AGE  SIZE\n1   ab    c    d\n');
    expect(table([['22', 'abcdefghij', 'c', 'd']])).toBe('22  abc…  c    d\n');
  });
});

test('fields stand below each other; words stay complete, JSON is cut, a name is not repeated', () => {
  const fields = [
    ['Model', 'one two three'],
    ['Address', 'https://example.com/long'],
    ['Address', '{"a":1,"b":2}'],
  ];
  expect(drawFields(fields, { width: 18 })).toBe(
    [
      'Model    one two',
      '         three',
      'Address  https://example.com/long',
      '         {"a":1,"…',
      '',
    ].join('\n'),
  );
});
