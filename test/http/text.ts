import type { HttpResponse } from '../../src/http/types.js';

/** The body of a response as text. */
export async function textOf(response: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  await response.pipe((piece) => {
    pieces.push(piece);
  });
  return Buffer.concat(pieces).toString();
}
