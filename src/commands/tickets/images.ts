/** The images of a report or a message: what the service would refuse is refused before it is sent. */
import { basename } from 'node:path';
import type { Image } from '../../api/tickets.js';
import type { Stdin } from '../../cli/context.js';
import { ticketImageTypes } from '../../contract/enums.js';
import { bytesPerMb, tickets as limits } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { fileBody } from '../../http/request-body.js';
import { plainText } from '../../lib/plain-text.js';
import { sourceAt, type Source } from '../generate/sources.js';

const { bytes: mostBytes, perRequest, perTicket } = limits.attachments;

/**
 * Opens what --attach names, as far as its first bytes.
 * @param words files, or once `-` for stdin.
 * @throws UsageError for what no ticket takes; LocalFileError for what cannot be read.
 */
export async function readImages(words: readonly string[], stdin: Stdin): Promise<Image[]> {
  if (words.length > perRequest) {
    throw refused(`at most ${perRequest} images go at once; ${words.length} are given`);
  }
  if (words.filter((word) => word === '-').length > 1) {
    throw new UsageError('--attach - can be given once', { code: 'usage' });
  }
  if (words.includes('-') && stdin.isTerminal) {
    throw new UsageError('an image is piped in, not typed', { code: 'usage' });
  }
  const images: Image[] = [];
  for (const word of words) images.push(imageOf(await sourceAt(word, stdin)));
  return images;
}

/** @throws UsageError when a ticket would have more images than it may. */
export function demandRoom(there: number, more: number): void {
  if (more === 0 || there + more <= perTicket) return;
  throw refused(
    `a ticket may have ${perTicket} images, and this one has ${there}: ${more} more do not fit`,
  );
}

function imageOf(source: Source): Image {
  if (source.at === 'url') {
    throw refused(`${plainText(source.url, 100)} is an address`, 'attach a file');
  }
  const { length, mediaType } = source;
  const kind = mediaType.split('/')[1] ?? '';
  const name = source.at === 'file' ? basename(source.path) : `stdin.${kind}`;
  const shown = source.at === 'file' ? plainText(name, 100) : 'stdin';
  // By the content: names prove nothing.
  if (!ticketImageTypes.some((type) => type === mediaType)) {
    const what = mediaType === 'application/octet-stream' ? '' : `, it is ${mediaType}`;
    throw refused(`${shown} is no PNG, JPEG, GIF or WebP image${what}`);
  }
  if (length > mostBytes) {
    throw refused(
      `${shown} is ${length} bytes long; an image may have ${mostBytes} (${mostBytes / bytesPerMb} MB)`,
    );
  }
  const content = source.at === 'file' ? fileBody(source.path, length) : source.bytes;
  return { name, mediaType, content };
}

function refused(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: 'ticket_attachment', hint });
}
