import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileBody, filePieces, pieceBytes, multipart } from '../../src/http/request-body.js';
import type { StreamedBody } from '../../src/http/types.js';
import { testFolder } from '../helpers/folder.js';

async function bytesOf({ length, open }: StreamedBody): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of open()) pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  expect(bytes.length).toBe(length);
  return bytes;
}

function fileOf(bytes: Buffer): string {
  const path = join(testFolder(), 'file');
  writeFileSync(path, bytes);
  return path;
}

describe('a multipart body', () => {
  it('is what the public Request reads back, fields and files alike', async () => {
    const content = Buffer.from('\x89PNG\r\n--boundary\r\n\0', 'latin1');
    const path = fileOf(content);
    const { contentType, body } = multipart(
      [['purpose "x"', 'a\r\nb é']],
      [
        {
          field: 'file',
          filename: 'a.png',
          type: 'image/png',
          content: fileBody(path, content.length),
        },
        {
          field: 'file',
          filename: 'é "q"\r\n.bin',
          type: 'application/x',
          content: Buffer.from('2'),
        },
      ],
    );
    const request = new Request('http://x', {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: await bytesOf(body),
    });
    // Deprecated for servers; here it is a judge that knows nothing of us.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const form = await request.formData();
    expect(form.get('purpose "x"')).toBe('a\r\nb é');
    const files = form.getAll('file').flatMap((file) => (file instanceof File ? [file] : []));
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['a.png', 'image/png'],
      ['é "q"\r\n.bin', 'application/x'],
    ]);
    expect(Buffer.from((await files[0]?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(content);
  });
});

describe('a file as a body', () => {
  it.each([0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 2 * pieceBytes + 7])(
    'of %i bytes comes whole, in pieces of one size',
    async (length) => {
      const content = Buffer.alloc(length, 'content');
      const path = fileOf(content);
      expect(await bytesOf(fileBody(path, length))).toEqual(content);
      const sizes: number[] = [];
      for await (const piece of filePieces(path)) sizes.push(piece.length);
      expect(sizes.slice(0, -1).every((size) => size === pieceBytes)).toBe(true);
    },
  );

  it('leaves a piece alone until the next one is asked for', async () => {
    const path = fileOf(Buffer.from(Array.from({ length: 4 * pieceBytes }, (_, at) => at >> 16)));
    const pieces = filePieces(path);
    for (let at = 0; at < 4 * pieceBytes; at += pieceBytes) {
      const { value } = await pieces.next();
      // Until all of it has been read, the next piece has been too.
      const content = await readFile(path);
      expect(value && content.subarray(at, at + pieceBytes).equals(value)).toBe(true);
    }
    expect((await pieces.next()).done).toBe(true);
  });

  it('that cannot be read is told to whoever reads', async () => {
    const folder = testFolder();
    await expect(filePieces(folder).next()).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(filePieces(join(folder, 'none')).next()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
