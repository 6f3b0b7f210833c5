/** Names for files, made of text that others sent. */

/** Room for a number and for `.part` within the 255 bytes that file systems allow. */
const maxBytes = 200;

// Controls, and the marks that hide in a name or turn its direction.
const invisible =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;
const forbiddenOnWindows = /[<>:"|?*]+/g;
const device =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;

/** A name fit for any file system, out of the last part of a hint; undefined when nothing is left. */
export function safeFileName(hint: string): string | undefined {
  // No name is longer than this: do not scan megabytes for one.
  const last = hint.slice(-4096).split(/[/\\]/).at(-1) ?? '';
  // Halves of characters become U+FFFD.
  const clean = Buffer.from(last)
    .toString()
    .normalize('NFC')
    .replace(invisible, '')
    .replace(/\s+/g, ' ')
    .replace(forbiddenOnWindows, '_')
    .replace(/^[-.\s]+/, '')
    .replace(/[.\s]+$/, '');
  if (clean === '') return undefined;
  return shortened(device.test(clean.replace(/\s+(?=\.|$)/, '')) ? `_${clean}` : clean);
}

/** `a.tar.gz` as `['a.tar', '.gz']`; a name without an extension has an empty second part. */
export function splitExtension(name: string): readonly [stem: string, extension: string] {
  const match = /^(.+)(\.[A-Za-z0-9]{1,10})$/.exec(name);
  return match ? [match[1] ?? name, match[2] ?? ''] : [name, ''];
}

export function numbered(name: string, number: number | string): string {
  const [stem, extension] = splitExtension(name);
  return `${stem}-${number}${extension}`;
}

export function nthName(name: string, number: number): string {
  return number === 1 ? name : numbered(name, number);
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const [stem, extension] = splitExtension(name);
  const kept = Buffer.from(stem)
    .subarray(0, maxBytes - extension.length)
    .toString();
  // A character that was cut is one or more U+FFFD.
  return kept.replace(/\ufffd+$/, '').trimEnd() + extension;
}
