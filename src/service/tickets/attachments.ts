/** Images that are attached to tickets: on disk before the ticket knows of them. */
import { tickets as limits } from '../../contract/limits.js';
import { imageTypeOf } from '../../lib/file-kind.js';
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import type { FormPart } from '../multipart.js';
import { isAttached, type Attachment } from '../store/ticket-messages.js';

/** The files of tickets in the store's folder. */
export const shelf = 'attachments';

/** Names are hints: what is longer is cut. */
const longestName = 255;
/** More than any kind of image needs to be known. */
const headBytes = 64;

/**
 * Writes an image to disk as it arrives.
 * @throws ServiceFailure 415 when its bytes are no image, 413 when they are too many
 */
export async function keep(house: House, part: FormPart): Promise<Attachment> {
  const { media, store, newId } = house;
  const pieces = part.bytes[Symbol.asyncIterator]();
  const head = await headOf(pieces);
  const mediaType = imageTypeOf(head);
  if (mediaType === undefined) {
    throw new ServiceFailure(
      415,
      'unsupported_attachment_type',
      'an attachment must be a PNG, JPEG, GIF or WebP image, whatever its name says',
    );
  }
  const id = `att_${newId()}`;
  const isKnown = (name: string) => isAttached(store, name);
  const written = await media.folder.write(shelf, id, whole(head, pieces), isKnown);
  return { id, filename: nameOf(part, mediaType), mediaType, ...written };
}

/** Removes what no ticket has. Never rejects: what stays behind is swept away later. */
export async function discard({ media }: House, kept: readonly Attachment[]): Promise<void> {
  for (const { id } of kept) await media.folder.remove(shelf, id).catch(() => undefined);
}

function nameOf({ fileName = '' }: FormPart, mediaType: string): string {
  const given = Array.from(fileName).slice(0, longestName).join('');
  return given === '' ? mediaType.replace('/', '.') : given;
}

/** Reads on until it can be told what the file is. */
async function headOf(pieces: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < headBytes) {
    const next = await pieces.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* whole(
  head: Buffer,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  const counted = (piece: Uint8Array) => {
    size += piece.byteLength;
    if (size <= limits.attachments.bytes) return piece;
    throw new ServiceFailure(
      413,
      'attachment_too_large',
      `an attachment may have ${limits.attachments.bytes} bytes at most`,
    );
  };
  yield counted(head);
  for (;;) {
    const next = await pieces.next();
    if (next.done) return;
    yield counted(next.value);
  }
}
