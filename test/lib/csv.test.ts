import { describe, expect, it } from 'vitest';
import { csvRecord } from '../../src/lib/table-files.js';

describe('a record of CSV', () => {
  it('is one line that ends as RFC 4180 says', () => {
    expect(csvRecord(['a', 1, -0.5, null, undefined, ''])).toBe('a,1,-0.5,,,\r\n');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['plain text; 5 = 5', 'plain text; 5 = 5'],
    ['{"a":1}', '"{""a"":1}"'],
  ])('quotes %j where it must', (text, field) => {
    expect(csvRecord([text])).toBe(`${field}\r\n`);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+7', "'+7"],
    ['-2', "'-2"],
    ['@cf/model', "'@cf/model"],
    [' =1', "' =1"],
    ['\t=1', "'\t=1"],
    ['\rx', `"'\rx"`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['\uff1d1', "'\uff1d1"],
  ])('keeps a spreadsheet from running %j', (text, field) => {
    expect(csvRecord([text])).toBe(`${field}\r\n`);
  });
});
