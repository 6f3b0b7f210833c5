import { describe, expect, it } from 'vitest';
import { longestHeldBytes, withoutLongStrings } from '../../../src/service/voices/long-strings.js';

async function* inPieces(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const whole = Buffer.from(text);
  for (let at = 0; at < whole.length; at += bytes) {
    await Promise.resolve();
    yield whole.subarray(at, at + bytes);
  }
}

/** What is left of a text, and what was taken out of it. */
async function split(text: string, bytes: number) {
  const taken: string[] = [];
  const left: Buffer[] = [];
  const keep = async (pieces: AsyncIterable<Buffer>) => {
    const all: Buffer[] = [];
    for await (const piece of pieces) all.push(piece);
    return `<${taken.push(Buffer.concat(all).toString())}>`;
  };
  for await (const piece of withoutLongStrings(inPieces(text, bytes), keep)) left.push(piece);
  return { left: Buffer.concat(left).toString(), taken };
}

const long = 'A/b+'.repeat(longestHeldBytes / 4 + 1);
const other = String.raw`\"\\ü\n`.repeat(longestHeldBytes / 4);

describe('long strings', () => {
  it.each([1, 7, 1000, 65_536, 1e9])(
    'are taken out of JSON in pieces of %d bytes',
    async (bytes) => {
      const text = `{"a": "${long}", "b\\"": ["x", "${other}", "", 1e3, "\\\\"], "c": {}}`;
      expect(await split(text, bytes)).toEqual({
        left: '{"a": "<1>", "b\\"": ["x", "<2>", "", 1e3, "\\\\"], "c": {}}',
        taken: [long, other],
      });
    },
  );

  it('are those that are longer than what is held', async () => {
    const held = 'x'.repeat(longestHeldBytes);
    expect(await split(`"${held}"`, 1000)).toEqual({ left: `"${held}"`, taken: [] });
    expect(await split(`"${held}x"`, 1000)).toEqual({ left: '"<1>"', taken: [`${held}x`] });
  });

  it.each(['', '{', '{"a', '{"a\\', '"', '"\\"', 'null', '{"a":"b"} and more', '"""'])(
    'leave %j as it is',
    async (text) => {
      expect(await split(text, 1)).toEqual({ left: text, taken: [] });
    },
  );

  it('that do not end leave what is no JSON', async () => {
    const { left } = await split(`{"a":"${long}`, 1000);
    expect(() => JSON.parse(left) as unknown).toThrow(SyntaxError);
  });

  it('may be left unread', async () => {
    const left: Buffer[] = [];
    const keep = () => Promise.resolve('gone');
    for await (const piece of withoutLongStrings(inPieces(`["${long}", 1]`, 99), keep)) {
      left.push(piece);
    }
    expect(Buffer.concat(left).toString()).toBe('["gone", 1]');
  });
});
