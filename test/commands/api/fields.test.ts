import { describe, expect, it } from 'vitest';
import { objectFrom, splitField, typed } from '../../../src/commands/api/request.js';
import { UsageError } from '../../../src/errors.js';

/** What `-f` fields build together. */
function built(...fields: string[]): string {
  return JSON.stringify(objectFrom(parsed(fields)));
}

function parsed(fields: readonly string[]) {
  return fields.map((field) => {
    const { path, text } = splitField(field);
    return { path, value: text };
  });
}

describe('fields', () => {
  it('nest by brackets and list by empty ones', () => {
    expect(built('a=1', 'b[c]=2', 'b[d][e]=3')).toBe('{"a":"1","b":{"c":"2","d":{"e":"3"}}}');
    expect(built('a[]=1', 'a[]=', 'b[c][]=x')).toBe('{"a":["1",""],"b":{"c":["x"]}}');
    expect(built('a[][]=1', 'a[][]=2')).toBe('{"a":[["1"],["2"]]}');
  });

  it('fill one object of a list until a field comes again', () => {
    expect(built('m[][role]=user', 'm[][content]=hi', 'm[][role]=system')).toBe(
      '{"m":[{"role":"user","content":"hi"},{"role":"system"}]}',
    );
    expect(built('m[][a][b]=1', 'm[][a][c]=2', 'm[][z]=3')).toBe(
      '{"m":[{"a":{"b":"1","c":"2"},"z":"3"}]}',
    );
    expect(built('m[][p][]=1', 'm[][p][]=2', 'm[][r]=x', 'm[][r]=y')).toBe(
      '{"m":[{"p":["1","2"],"r":"x"},{"r":"y"}]}',
    );
  });

  it('may hold equals signs, brackets and line feeds in their value, and any word as a name', () => {
    expect(built('a=b=c[d]\n=')).toBe('{"a":"b=c[d]\\n="}');
    expect(built('__proto__[x]=1', 'constructor=2', 'toString[]=3')).toBe(
      '{"__proto__":{"x":"1"},"constructor":"2","toString":["3"]}',
    );
    expect(Object.prototype).not.toHaveProperty('x');
  });

  it('that contradict each other are refused', () => {
    for (const fields of [
      ['a=1', 'a=1'],
      ['a[b]=1', 'a=1'],
      ['a[]=1', 'a=1'],
      ['a[b]=1', 'a[]=1'],
    ]) {
      expect(() => built(...fields), fields.join(' ')).toThrow(UsageError);
    }
    const withNull = [
      { path: ['a'], value: null },
      { path: ['a', 'b'], value: 1 },
    ];
    expect(() => objectFrom(withNull)).toThrow('the field a[b] contradicts another one');
  });
});

describe('a typed value', () => {
  it('is true, false, null or a number as JSON writes it, and else text', () => {
    const values: [string, unknown][] = [
      ['true', true],
      ['null', null],
      ['0', 0],
      ['-12', -12],
      ['2e3', 2000],
      ['', ''],
      ['01', '01'],
      ['.5', '.5'],
      ['0x10', '0x10'],
      ['NaN', 'NaN'],
    ];
    for (const [text, value] of values) expect(typed(text, 'f'), text).toBe(value);
  });
});
