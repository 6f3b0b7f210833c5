/** Bodies that come compressed although they were asked for as they are. */
import type { Transform } from 'node:stream';
import { Incomplete } from '../../errors.js';
import { codeOf } from '../../lib/error-code.js';
import { plainText } from '../../lib/plain-text.js';
import { BodyCut, type HttpResponse, type Sink } from '../types.js';

/**
 * Pours the decoded body.
 * @throws as `pour` does; BodyCut when what came is cut or garbled; Incomplete for an encoding
 * that nothing here decodes.
 */
export async function pourDecoded(
  response: HttpResponse,
  encoding: string,
  sink: Sink,
): Promise<void> {
  const decoder = await decoderFor(encoding);
  if (!decoder) {
    response.discard();
    throw new Incomplete(`the service sent the file encoded as ${plainText(encoding, 40)}`, {
      code: 'unknown_encoding',
    });
  }
  const drained = drain(decoder, sink);
  drained.catch(() => undefined);
  try {
    // What ends the draining ends the pouring too: a write that failed may never be heard of again.
    await response.pour((piece) => Promise.race([written(decoder, piece), drained]));
    decoder.end();
    await drained;
  } finally {
    decoder.destroy();
  }
}

async function decoderFor(encoding: string): Promise<Transform | undefined> {
  const zlib = await import('node:zlib');
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    default:
      return undefined;
  }
}

async function drain(decoder: Transform, sink: Sink): Promise<void> {
  try {
    for await (const piece of decoder) if (Buffer.isBuffer(piece)) await sink(piece);
  } catch (error) {
    if (!isDecoding(error)) throw error;
    throw new BodyCut('truncated', 'the answer could not be decompressed', error);
  }
}

/** zlib's own complaints, as against what the sink throws. */
function isDecoding(error: unknown): boolean {
  return /^(Z_|ERR_)/.test(codeOf(error) ?? '');
}

function written(decoder: Transform, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    decoder.write(piece, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
