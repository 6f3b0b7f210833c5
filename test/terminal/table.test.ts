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

test('a cell stays on its line', () => {
  const drawn = drawTable(columns, [['a\r\nb\tc\rd', '1']]);
  expect(drawn.split('\n')).toEqual(['model    price', 'a b c d      1']);
});
