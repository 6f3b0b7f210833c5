import { expect, it } from 'vitest';
import { posting, streamOf } from './helpers.js';
import { ServiceFailure } from '../../src/service/failure.js';
import { formParts } from '../../src/service/multipart.js';

interface Read {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly text: string;
}

const type = 'multipart/form-data; boundary=xYz';

/** A request whose body arrives in pieces of this size. */
function request(body: string | Uint8Array, pieceBytes = 1 << 20, contentType = type): Request {
  const bytes = Buffer.from(body);
  const pieces = streamOf((nth) => {
    const at = (nth - 1) * pieceBytes;
    return at < bytes.length ? bytes.subarray(at, at + pieceBytes) : undefined;
  });
  return posting(pieces, { 'content-type': contentType });
}

async function read(from: Request, maxBytes = 1 << 20): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const { name, fileName, bytes } of formParts(from, maxBytes)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    parts.push({ name, fileName, text: Buffer.concat(pieces).toString('latin1') });
  }
  return parts;
}

function form(...parts: (readonly [head: string, body: string])[]): string {
  const all = parts.map(([head, body]) => `--xYz\r\n${head}\r\n\r\n${body}\r\n`);
  return `${all.join('')}--xYz--\r\n`;
}

const file = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
const field = 'content-disposition: form-data; name="purpose"';

const tricky = '\r\n--xY\r\n--xY\r\n-\r\r\n\n--xYzz'.replace('--xYzz', '-xYz');

it.each([1, 2, 3, 5, 7, 64, 1 << 20])(
  'formParts reads a form that comes %d bytes at a time',
  async (n) => {
    const body = form([field, 'media'], [file, tricky], [file, '']);
    expect(await read(request(body, n))).toEqual([
      { name: 'purpose', fileName: undefined, text: 'media' },
      { name: 'file', fileName: 'a.bin', text: tricky },
      { name: 'file', fileName: 'a.bin', text: '' },
    ]);
  },
);

it.each([
  ['text before the first part', `hello\r\n${form([field, 'x'])}`, type],
  ['text after the last', `${form([field, 'x'])}bye`, type],
  ['white space after a delimiter', form([field, 'x']).replace('--xYz\r', '--xYz \t\r'), type],
  ['further headers', form([`Content-Type: text/plain\r\n${field}`, 'x']), type],
  ['a quoted boundary', form([field, 'x']), 'multipart/form-data; boundary="xYz"'],
  ['a parameter before it', form([field, 'x']), 'Multipart/Form-Data; charset=utf-8; Boundary=xYz'],
])('formParts takes %s', async (_, body, contentType) => {
  expect(await read(request(body, 3, contentType))).toMatchObject([{ name: 'purpose', text: 'x' }]);
});

it('formParts skips what its reader leaves unread', async () => {
  const names: string[] = [];
  const body = form([file, 'x'.repeat(1000)], [field, 'y'], [file, 'z'.repeat(1000)]);
  for await (const { name, bytes } of formParts(request(body, 10), 1 << 20)) {
    names.push(name);
    if (name === 'purpose') await bytes[Symbol.asyncIterator]().next();
  }
  expect(names).toEqual(['file', 'purpose', 'file']);
});

it.each([
  ['no form', 'x', 'text/plain'],
  ['a body without a delimiter', 'x', type],
  ['a part that does not end', form([file, 'x']).slice(0, -9), type],
  ['a part without a name', form(['Content-Type: text/plain', 'x']), type],
  ['a head that does not end', `--xYz\r\n${'x'.repeat(40_000)}`, type],
  ['too many parts', form(...Array.from({ length: 101 }, () => [field, ''] as const)), type],
])('formParts refuses %s', async (_, body, contentType) => {
  const reading = read(request(body, 1000, contentType));
  await expect(reading).rejects.toMatchObject({ status: 400 });
  await expect(reading).rejects.toBeInstanceOf(ServiceFailure);
});

it('formParts stops reading at the limit', async () => {
  let pulled = 0;
  const endless = streamOf((nth) => {
    pulled = nth;
    return nth === 1 ? `--xYz\r\n${file}\r\n\r\n` : 'x'.repeat(1000);
  });
  const from = posting(endless, { 'content-type': type });
  await expect(read(from, 10_000)).rejects.toMatchObject({ status: 413 });
  expect(pulled).toBeLessThan(15);
});
