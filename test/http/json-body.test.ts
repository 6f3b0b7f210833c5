import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pieceBytes, jsonBody, type Base64Source } from '../../src/http/request-body.js';
import type { StreamedBody } from '../../src/http/types.js';
import { testFolder } from '../helpers/folder.js';

async function textOf({ length, open }: StreamedBody): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of open()) pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  expect(bytes.length).toBe(length);
  return bytes.toString('utf8');
}

function streamed(body: string | StreamedBody): StreamedBody {
  if (typeof body === 'string') throw new Error('it is in memory');
  return body;
}

function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 256));
}

function sourceOf(bytes: Buffer, at: 'file' | 'memory'): Base64Source {
  if (at === 'memory') return { bytes, length: bytes.length };
  const path = join(testFolder(), 'source');
  writeFileSync(path, bytes);
  return { path, length: bytes.length };
}

describe('a JSON body with files in base64', () => {
  for (const at of ['file', 'memory'] as const) {
    it.each([1, 2, 3, pieceBytes - 1, pieceBytes, pieceBytes + 1, 2 * pieceBytes + 2])(
      `is the JSON of the same object, with %i bytes from ${at}`,
      async (length) => {
        const bytes = bytesOf(length);
        const json = JSON.stringify({ name: 'é "x"', samples: [{ audio: 'HERE' }], last: true });
        const body = streamed(jsonBody(json, new Map([['HERE', sourceOf(bytes, at)]])));
        const base64 = bytes.toString('base64');
        expect(JSON.parse(await textOf(body))).toEqual({
          name: 'é "x"',
          samples: [{ audio: base64 }],
          last: true,
        });
      },
    );
  }

  it('holds several, in the order of the text', async () => {
    const [one, other] = [bytesOf(pieceBytes + 5), Buffer.from('other')];
    const sources = new Map([
      ['(2)', sourceOf(other, 'memory')],
      ['(1)', sourceOf(one, 'file')],
    ]);
    const body = streamed(jsonBody('["(1)","(2)","(1)"]', sources));
    const [first, second] = [one.toString('base64'), other.toString('base64')];
    expect(JSON.parse(await textOf(body))).toEqual([first, second, first]);
  });

  it('that turns out longer than its file was says so by its length', async () => {
    const path = join(testFolder(), 'grows');
    writeFileSync(path, 'grown');
    const { length, open } = streamed(jsonBody('"x"', new Map([['x', { path, length: 2 }]])));
    let sent = 0;
    for await (const piece of open()) sent += piece.length;
    expect(sent).not.toBe(length);
  });
});
