/** Tags of MP3 files (ID3v2.4): written before the frames, read wherever frames stand around them. */

const headBytes = 10;
const footer = 0x10;

/** How many bytes the tag takes whose beginning this is; 0 where there is none. */
export function tagBytes(head: Buffer): number {
  if (head.length < headBytes || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const hasFooter = ((head[5] ?? 0) & footer) !== 0;
  return headBytes + synchsafe(head, 6) + (hasFooter ? headBytes : 0);
}

/** A field of a tag: `TSSE` the software, `TLEN` the length in milliseconds, `USLT` the words. */
export interface TagField {
  readonly name: string;
  readonly text: string;
}

/** The bytes of a tag. */
export function writeTag(fields: readonly TagField[]): Uint8Array {
  const frames = fields.map(({ name, text }) => {
    // Text of encoding 3 is UTF-8; words have a language and a title before them.
    const lead = Buffer.from(name === 'USLT' ? '\x03und\0' : '\x03', 'latin1');
    const content = Buffer.concat([lead, Buffer.from(text, 'utf8')]);
    return Buffer.concat([
      Buffer.from(name, 'latin1'),
      toSynchsafe(content.length),
      Buffer.alloc(2),
      content,
    ]);
  });
  const content = Buffer.concat(frames);
  return Buffer.concat([
    Buffer.from('ID3\x04\0\0', 'latin1'),
    toSynchsafe(content.length),
    content,
  ]);
}

/** The fields of a tag that `writeTag` could have written; of another, what looks like it. */
export function readTag(bytes: Buffer): TagField[] {
  const fields: TagField[] = [];
  if (bytes[3] !== 4) return fields;
  for (let at = headBytes; at + headBytes <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = synchsafe(bytes, at + 4);
    const from = at + headBytes;
    at = from + length;
    if (!/^[A-Z][A-Z0-9]{3}$/.test(name) || at > bytes.length) break;
    const lead = name === 'USLT' ? 5 : 1;
    if (bytes[from] === 3) fields.push({ name, text: bytes.toString('utf8', from + lead, at) });
  }
  return fields;
}

/** Four bytes of seven bits, so that no length can look like the head of a frame. */
function synchsafe(bytes: Buffer, at: number): number {
  return bytes.subarray(at, at + 4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

function toSynchsafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
}
