import { describe, expect, test } from 'vitest';
import { drawFields, growingTable } from '../../src/terminal/table.js';

const columns = [{ title: 'model' }, { title: 'price', align: 'right' as const }];

test('columns stand under their titles, numbers to the right, without trailing blanks', () => {
  const rows = [
    ['maker/model', '0.5'],
    ['x', '12.25'],
  ];
  expect(growingTable(columns)(rows)).toBe(
    ['model        price', 'maker/model    0.5', 'x            12.25', ''].join('\n'),
  );
});

test('a cell stays on its line', () => {
  const drawn = growingTable(columns)([['a\r\nb\tc\rd', '1']]);
  expect(drawn).toBe('model    price\na b c d      1\n');
});

describe('a table that does not fit', () => {
  const giving = [
    { title: 'ID' },
    { title: 'NOTE', min: 6 },
    { title: 'AGE', drop: 1 },
    { title: 'SIZE', drop: 2 },
  ];
  const rows = [['id_1', 'a long note', '5 min', '12 kB']];
  const at = (width: number) => growingTable(giving, { width })(rows).trimEnd().split('\n');

  test('is as wide as its cells where there is room', () => {
    expect(at(32)).toEqual(['ID    NOTE         AGE    SIZE', 'id_1  a long note  5 min  12 kB']);
  });

  test('first cuts what may be cut, then leaves out columns by their rank', () => {
    expect(at(28)).toEqual(['ID    NOTE      AGE    SIZE', 'id_1  a long…   5 min  12 kB']);
    expect(at(25)).toEqual(['ID    NOTE         AGE', 'id_1  a long note  5 min']);
    expect(at(13)).toEqual(['ID    NOTE', 'id_1  a long…']);
    expect(at(11)).toEqual(['ID    NOTE', 'id_1  a lo…']);
  });

  test('leaves out an empty column', () => {
    const lost = [['id_1', 'a long note', '', '']];
    expect(growingTable(giving, { width: 40 })(lost)).toBe('ID    NOTE\nid_1  a long note\n');
  });

  test('continues the cells of a wrapping column below themselves', () => {
    const wrapping = [{ title: 'ID' }, { title: 'NOTE', min: 6, wraps: true }];
    expect(growingTable(wrapping, { width: 13 })([['id_1', 'a long note']])).toBe(
      'ID    NOTE\nid_1  a long\n      note\n',
    );
  });

  test('keeps its columns as more rows come', () => {
    const table = growingTable(giving, { width: 19 });
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
