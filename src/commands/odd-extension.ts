import { splitExtension } from '../lib/file-name.js';
import { isSameExtension, kindByContentType } from '../lib/file-kind.js';
import type { Output } from '../terminal/types.js';

/** A name that was asked for stays, also when it promises something else. */
export function warnOfExtension(
  out: Output,
  { path, mediaType }: { readonly path: string; readonly mediaType: string | undefined },
): void {
  const extension = splitExtension(path)[1].slice(1);
  const kind = kindByContentType(mediaType);
  // `bin` promises nothing.
  if (['', 'bin'].includes(extension) || !kind || isSameExtension(extension, kind.extension))
    return;
  out.warn(`${path} holds ${kind.mediaType}, which usually ends in .${kind.extension}`);
}
