/** Leaves room for a number and `.part` within the 255 bytes of file systems. */
const maxBytes = 200;

// Control characters, and marks that hide in a name or change its direction.
const invisible =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;
const forbiddenOnWindows = /[<>:"|?*]+/g;
const device =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;

/** A name for any file system, from the last part of a hint; undefined when nothing remains. */
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

/** `a.tar.gz` as `['a.tar', '.gz']`; without an extension, the second part is empty. */
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
  const shortened = Buffer.from(stem)
    .subarray(0, maxBytes - extension.length)
    .toString();
  // A truncated character is one or more U+FFFD.
  return shortened.replace(/\ufffd+$/, '').trimEnd() + extension;
}
