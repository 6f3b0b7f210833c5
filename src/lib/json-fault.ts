/** Finds where a text stops being JSON, for messages that quote none of it. */

export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The text ended before the JSON did. */
  readonly atEnd: boolean;
}

/**
 * The first place where `text` is not JSON; undefined when it is.
 * The parser's own message is of no use here: it may quote the text, and a key stands in it.
 */
export function jsonFault(text: string): JsonFault | undefined {
  const offset = faultOffset(text);
  if (offset === undefined) return undefined;
  const before = text.slice(0, offset).split('\n');
  return {
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
    atEnd: offset >= text.length,
  };
}

const blank = /[ \t\r\n]*/y;
const token =
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next: `element` and `key` also allow the container to close when it is empty. */
type Expected = 'value' | 'element' | 'key' | 'next key' | 'colon' | 'comma or end';

function faultOffset(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let offset = skipBlank(text, 0);
  while (offset < text.length) {
    token.lastIndex = offset;
    const word = token.exec(text)?.[0];
    if (word === undefined) return stringFault(text, offset);
    const next = step(word, expected, open);
    if (next === undefined) return offset;
    expected = next;
    offset = skipBlank(text, offset + word.length);
  }
  return open.length === 0 && expected === 'comma or end' ? undefined : text.length;
}

function skipBlank(text: string, from: number): number {
  blank.lastIndex = from;
  blank.exec(text);
  return blank.lastIndex;
}

/** What a token leads to, or undefined when it has no place here. */
function step(word: string, expected: Expected, open: ('{' | '[')[]): Expected | undefined {
  const container = open.at(-1);
  if (word === '}' || word === ']') {
    const fits = word === '}' ? container === '{' : container === '[';
    const mayClose = expected === 'comma or end' || expected === (word === '}' ? 'key' : 'element');
    if (!fits || !mayClose) return undefined;
    open.pop();
    return 'comma or end';
  }
  if (expected === 'comma or end') {
    if (word !== ',' || container === undefined) return undefined;
    return container === '{' ? 'next key' : 'value';
  }
  if (expected === 'colon') return word === ':' ? 'value' : undefined;
  if (word === ',' || word === ':') return undefined;
  if (expected === 'key' || expected === 'next key') {
    return word.startsWith('"') ? 'colon' : undefined;
  }
  if (word !== '{' && word !== '[') return 'comma or end';
  open.push(word);
  return word === '{' ? 'key' : 'element';
}

/** A string that never ends is a fault at the end of its line, where the quote is missing. */
function stringFault(text: string, offset: number): number {
  if (text[offset] !== '"') return offset;
  const whole = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
  whole.lastIndex = offset;
  whole.exec(text);
  return whole.lastIndex;
}
