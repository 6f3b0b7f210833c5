import { describe, expect, it } from 'vitest';
import {
  csvRecord,
  npyHeader,
  npyHeaderBytes,
  npyRow,
  npyShape,
} from '../../src/lib/table-files.js';

describe('a record of CSV', () => {
  it('is one line that ends as RFC 4180 says', () => {
    expect(csvRecord(['a', 1, -0.5, null, undefined, ''])).toBe('a,1,-0.5,,,\r\n');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['plain text; 5 = 5', 'plain text; 5 = 5'],
    // What a spreadsheet would run.
    ['=1+1', "'=1+1"],
    ['@cf/model', "'@cf/model"],
    ['\t=1', "'\t=1"],
    ['\rx', `"'\rx"`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['\uff1d1', "'\uff1d1"],
  ])('holds %j, quoted where it must be', (text, field) => {
    expect(csvRecord([text])).toBe(`${field}\r\n`);
  });
});

it('a header is what the format says', () => {
  const header = npyHeader({ rows: 3, columns: 2 });
  expect(header).toHaveLength(128);
  expect(header.subarray(0, 10)).toEqual(Buffer.from('\u0093NUMPY\u0001\u0000v\u0000', 'latin1'));
  expect(header.toString('latin1', 10)).toBe(
    `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }`.padEnd(117) + '\n',
  );
});

it.each([
  { rows: 0, columns: 1 },
  { rows: 12, columns: 1536 },
  { rows: Number.MAX_SAFE_INTEGER, columns: 4_294_967_295 },
])('%j fits, and is read back', (shape) => {
  const header = npyHeader(shape);
  expect(header).toHaveLength(npyHeaderBytes);
  expect(npyShape(header)).toEqual(shape);
});

it('another header is refused', () => {
  expect(npyShape(Buffer.alloc(128))).toBeUndefined();
  expect(npyShape(npyHeader({ rows: 1, columns: 1 }).subarray(0, 100))).toBeUndefined();
  const other = Buffer.from(npyHeader({ rows: 1, columns: 1 }));
  other.write('<f8', 21);
  expect(npyShape(other)).toBeUndefined();
});

it('numbers lie with their lowest byte first', () => {
  expect(npyRow([1, -2.5])).toEqual(Buffer.from([0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0]));
});
