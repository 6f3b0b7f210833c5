import { expect, test } from 'vitest';
import { drawTable } from '../../src/terminal/table.js';

const columns = [{ title: 'model' }, { title: 'price', align: 'right' as const }];

test('columns stand under their titles, numbers to the right, without trailing blanks', () => {
  const rows = [
    ['maker/model', '0.5'],
    ['x', '12.25'],
  ];
  expect(drawTable(columns, rows)).toBe(
    ['model        price', 'maker/model    0.5', 'x            12.25'].join('\n'),
  );
});

test.each(['日本語', '한국어', '👩‍👧', 'Ёлка', 'e\u0301'])(
  'columns stay straight after %s',
  (wide) => {
    const [, first = '', second = ''] = drawTable(columns, [
      [wide, '|'],
      ['plain', '|'],
    ]).split('\n');
    const widthOf: Record<string, number> = {
      日本語: 6,
      한국어: 6,
      '👩‍👧': 2,
      Ёлка: 4,
      'e\u0301': 1,
    };
    const before = first.slice(0, first.indexOf('|'));
    const shown = before.length - wide.length + (widthOf[wide] ?? 0);
    expect(shown).toBe(second.indexOf('|'));
  },
);

test('a cell stays on its line', () => {
  const drawn = drawTable(columns, [['a\r\nb\tc\rd', '1']]);
  expect(drawn.split('\n')).toEqual(['model    price', 'a b c d      1']);
});
