import { describe, expect, it } from 'vitest';
import { jsonFault } from '../../src/lib/json-fault.js';

const sound = [
  '{}',
  ' [ ] ',
  '{"a": [1, -2.5e+3, {"b": null}], "c": "\\u00e9\\n\\"", "d": {}}',
  '"text"',
  '0',
  'true',
  '[[],[{}],[[1]]]',
];

describe('jsonFault', () => {
  it.each(sound)('finds no fault in %s', (text) => {
    expect(jsonFault(text)).toBeUndefined();
  });

  it.each([
    ['a trailing comma', '{\n  "a": 1,\n}', 3, 1],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['single quotes', "{'a': 1}", 1, 2],
    ['a comment', '{\n  // no\n}', 2, 3],
    ['a missing colon', '{"a" 1}', 1, 6],
    ['a bare word', '{"a": yes}', 1, 7],
    ['the wrong bracket', '[1}', 1, 3],
    ['a second value', '{} {}', 1, 4],
    ['a comma in an empty list', '[,]', 1, 2],
    ['a leading zero', '[01]', 1, 3],
    ['a string cut by a line break', '{"a": "b\n}', 1, 9],
    ['a bad escape', '["\\x"]', 1, 3],
  ])('points at %s', (_name, text, line, column) => {
    expect(jsonFault(text)).toEqual({ line, column, atEnd: false });
  });

  it.each(['', '{', '{"a"', '{"a": ', '[1,', '"abc', '{"a": {"b": 1}'])(
    'says of %j that it ends too early',
    (text) => {
      expect(jsonFault(text)?.atEnd).toBe(true);
    },
  );

  it('agrees with JSON.parse on every text made by leaving out one character', () => {
    for (const text of sound) {
      for (let index = 0; index < text.length; index++) {
        const broken = text.slice(0, index) + text.slice(index + 1);
        expect([broken, jsonFault(broken) === undefined]).toEqual([broken, parses(broken)]);
      }
    }
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
