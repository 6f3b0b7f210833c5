/** Which bytes of a file a request asks for (RFC 9110, section 14). */

export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/**
 * The stretch that a Range header asks for; `whole` when it asks for none, or for what only the
 * whole file answers; `unsatisfiable` when the file has no such bytes.
 * @param etag the file's, strong; an If-Range that names another one asks for the whole file
 */
export function rangeOf(
  headers: Headers,
  byteLength: number,
  etag: string,
): Stretch | 'whole' | 'unsatisfiable' {
  const ifRange = headers.get('if-range');
  if (ifRange !== null && ifRange.trim() !== etag) return 'whole';
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.get('range')?.trim() ?? '');
  const [, from = '', to = ''] = asked ?? [];
  if (from === '' && to === '') return 'whole';
  const end = byteLength - 1;
  if (from === '') {
    const length = Math.min(Number(to), byteLength);
    return length === 0 ? 'unsatisfiable' : { first: byteLength - length, last: end };
  }
  const first = Number(from);
  const last = to === '' ? end : Math.min(Number(to), end);
  if (to !== '' && Number(to) < first) return 'whole';
  return first > end ? 'unsatisfiable' : { first, last };
}
