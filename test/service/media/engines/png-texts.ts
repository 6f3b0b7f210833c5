/** The notes of a PNG file, by keyword. */
export function textsOf(png: Buffer): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'iTXt') continue;
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const end = data.indexOf(0);
    // Keyword, NUL, two bytes of compression, two more texts with a NUL each, then the note.
    texts[data.toString('latin1', 0, end)] = data.toString('utf8', end + 5);
  }
  return texts;
}
