/** Multipart bodies (RFC 7578) whose files are read as they are sent. */
import { randomBytes } from 'node:crypto';
import type { FilePart, StreamedBody } from './types.js';

export type { FilePart } from './types.js';

export interface Multipart {
  readonly contentType: string;
  readonly body: StreamedBody;
}

/**
 * @param fields by name, in order.
 * @param boundary a word that occurs in none of the parts; random unless given.
 */
export function multipart(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FilePart[],
  boundary = `svc-${randomBytes(18).toString('hex')}`,
): Multipart {
  const pieces: (Uint8Array | StreamedBody)[] = [];
  for (const [name, value] of fields) {
    pieces.push(head(boundary, `name="${quoted(name)}"`), Buffer.from(`${value}\r\n`));
  }
  for (const { field, filename, type, content } of files) {
    const disposition = `name="${quoted(field)}"; filename="${quoted(filename)}"`;
    pieces.push(head(boundary, disposition, `Content-Type: ${type}\r\n`), content, lineEnd);
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      length: pieces.reduce((sum, { length }) => sum + length, 0),
      open: () => all(pieces),
      form: { fields, files },
    },
  };
}

const lineEnd = Buffer.from('\r\n');

function head(boundary: string, disposition: string, type = ''): Buffer {
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`,
  );
}

/** As browsers write it: what would end the name, or the line, is encoded. */
function quoted(name: string): string {
  return name.replace(/"/g, '%22').replace(/\r\n?|\n/g, '%0D%0A');
}

async function* all(
  pieces: readonly (Uint8Array | StreamedBody)[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) {
    if ('open' in piece) yield* piece.open();
    else yield piece;
  }
}
