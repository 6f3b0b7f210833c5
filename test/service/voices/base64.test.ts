import { describe, expect, it } from 'vitest';
import { decodeBase64, NotBase64 } from '../../../src/service/voices/base64.js';

async function decoded(pieces: readonly string[], most = 1e9): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of decodeBase64(
    pieces.map((text) => Buffer.from(text)),
    most,
  )) {
    all.push(piece);
  }
  return Buffer.concat(all).toString('latin1');
}

const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
const text = bytes.toString('base64');

function pieces(whole: string, length: number): string[] {
  return whole.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
}

describe('base64', () => {
  it.each([1, 2, 3, 4, 5, 64, 1000])('is decoded from pieces of %d letters', async (length) => {
    for (let end = 1; end < 20; end += 1) {
      const part = bytes.subarray(0, bytes.length - end);
      const whole = pieces(part.toString('base64'), length);
      expect(await decoded(whole)).toBe(part.toString('latin1'));
    }
  });

  it.each([
    ['with its slashes escaped', text.replaceAll('/', '\\/')],
    ['in lines', text.replaceAll(/.{76}/g, '$&\n')],
    ['in lines whose ends are escaped', text.replaceAll(/.{76}/g, '$&\\r\\n')],
    ['in the letters of addresses', bytes.toString('base64url')],
    ['without its padding', text.replaceAll('=', '')],
  ])('is decoded %s', async (_, whole) => {
    for (const length of [1, 5, 1000]) {
      expect(await decoded(pieces(whole, length))).toBe(bytes.toString('latin1'));
    }
  });

  it('is decoded behind the head of a data: URI', async () => {
    expect(await decoded([`data:audio/wav;base64,${text}`])).toBe(bytes.toString('latin1'));
    expect(await decoded([`DATA:audio\\/wav;codecs=1;base64,${text}`])).toHaveLength(256);
  });

  it.each([
    '',
    ' ',
    'A',
    'AAAAA',
    'AA=A',
    'AA==AA==',
    '=',
    'A!AA',
    'ŁAAA',
    'AA\\',
    'data:,AAAA',
    'data:audio/wav;base64,',
  ])('is not %j', async (wrong) => {
    await expect(decoded([wrong])).rejects.toBeInstanceOf(NotBase64);
    await expect(decoded(['AAAA', wrong === '' ? '?' : '?' + wrong])).rejects.toThrow('base64');
  });

  it('gives one byte more than it may, and reads the rest', async () => {
    expect(await decoded(pieces(text, 8), 10)).toHaveLength(11);
    await expect(decoded([...pieces(text, 8), '?'], 10)).rejects.toBeInstanceOf(NotBase64);
  });
});
