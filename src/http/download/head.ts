/** What the head of an answer means for a download. It knows no clock and sends nothing. */
import type { HttpResponse } from '../types.js';
import type { Version } from './types.js';

/** The rest that was asked for; undefined when it was the whole. */
export interface Asked {
  /** Bytes that are there already. */
  readonly from: number;
  /** The strong ETag of what they belong to. */
  readonly etag: string;
  readonly length: number | undefined;
}

export type Meaning =
  /** The body is the whole, from its first byte on. */
  | { readonly kind: 'whole'; readonly version: Version; readonly encoding: string | undefined }
  /** The body follows on what is there, up to this offset. */
  | { readonly kind: 'rest'; readonly total: number; readonly upTo: number }
  /** The rest is not to be had, or is of something else: ask for the whole. */
  | { readonly kind: 'no-rest' }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'refusal' };

type Head = Pick<HttpResponse, 'status' | 'headers'>;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function meaningOf(head: Head, asked: Asked | undefined): Meaning {
  const { status } = head;
  if (status === 200)
    return { kind: 'whole', version: versionOf(head), encoding: encodingOf(head) };
  if (asked && status === 206) return restOf(head, asked) ?? { kind: 'no-rest' };
  // The whole may have become shorter than what is there.
  if (asked && status === 416) return { kind: 'no-rest' };
  return redirects.has(status) ? { kind: 'redirect' } : { kind: 'refusal' };
}

/** A rest fits when it says of itself all that was asked for: the same thing, and where it goes on. */
function restOf(head: Head, { from, etag, length }: Asked): Meaning | undefined {
  const { headers } = head;
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(headers['content-range']?.trim() ?? '');
  if (!range || strongEtag(headers['etag']) !== etag || encodingOf(head)) return undefined;
  const [first, last, total] = [Number(range[1]), Number(range[2]), Number(range[3])];
  if (first !== from || last < first || last >= total) return undefined;
  if (length !== undefined && total !== length) return undefined;
  const bodyLength = lengthOf(head);
  if (bodyLength !== undefined && bodyLength !== last + 1 - first) return undefined;
  return { kind: 'rest', total, upTo: last + 1 };
}

function versionOf(head: Head): Version {
  const { headers } = head;
  const about = { contentType: headers['content-type']?.slice(0, 200) };
  // What is decoded on its way has another length, and cannot be joined to.
  if (encodingOf(head)) return about;
  return { ...about, etag: strongEtag(headers['etag']), length: lengthOf(head) };
}

/** The ETag when it stands for the very bytes (RFC 9110, 8.8.3). */
function strongEtag(header: string | undefined): string | undefined {
  const etag = header?.trim() ?? '';
  return /^"[\x21\x23-\x7e\x80-\xff]{1,1000}"$/.test(etag) ? etag : undefined;
}

function lengthOf({ headers }: Head): number | undefined {
  const text = headers['content-length']?.trim() ?? '';
  if (headers['transfer-encoding'] !== undefined || !/^\d+$/.test(text)) return undefined;
  const length = Number(text);
  return Number.isSafeInteger(length) ? length : undefined;
}

function encodingOf({ headers }: Head): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}
