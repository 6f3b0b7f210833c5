/** The notes in the LIST INFO chunks of WAV files: some writers keep there what a voice says. */
import { textShares } from '../text-pieces.js';

/** A note by its RIFF name of four letters: INAM title, ICMT comment, ISFT software. */
interface Note {
  readonly name: string;
  readonly text: string;
}

const comment = 'ICMT';

/** The comments, in order. */
export function commentsIn(lists: readonly Buffer[]): string[] {
  return notesIn(lists).flatMap(({ name, text }) => (name === comment ? [text] : []));
}

/** How many bytes each of the lists of `sharedLists` has at most. */
export function mostSharedBytes(lists: readonly Buffer[]): number {
  return sharedLists(lists, [1]).reduce((sum, { length }) => sum + length, 0);
}

/**
 * A list for each part of a sound that these lists belong to: what is said is shared out, between
 * words; all else stands in each. None where nothing is said.
 * @param ends where each part ends, as a share of the whole; the last is 1.
 */
export function sharedLists(lists: readonly Buffer[], ends: readonly number[]): Buffer[] {
  const said = commentsIn(lists).join('');
  if (said === '') return [];
  const others = notesIn(lists).filter(({ name }) => name !== comment);
  return textShares(said, ends).map((text) => listOf([...others, { name: comment, text }]));
}

function notesIn(lists: readonly Buffer[]): Note[] {
  return lists.flatMap((list) => {
    const notes: Note[] = [];
    if (list.toString('latin1', 8, 12) !== 'INFO') return notes;
    for (let at = 12; at + 8 <= list.length;) {
      const length = list.readUInt32LE(at + 4);
      const text = list.toString('utf8', at + 8, Math.min(list.length, at + 8 + length));
      notes.push({ name: list.toString('latin1', at, at + 4), text: text.replace(/\0$/, '') });
      at += 8 + length + (length % 2);
    }
    return notes;
  });
}

function listOf(notes: readonly Note[]): Buffer {
  const entries = notes.map(({ name, text }) => chunk(name, Buffer.from(`${text}\0`, 'utf8')));
  return chunk('LIST', Buffer.concat([Buffer.from('INFO', 'latin1'), ...entries]));
}

/** A chunk ends on an even byte; its length does not count the byte added for that. */
function chunk(name: string, content: Buffer): Buffer {
  const bytes = Buffer.alloc(8 + content.length + (content.length % 2));
  bytes.write(name, 0, 'latin1');
  bytes.writeUInt32LE(content.length, 4);
  content.copy(bytes, 8);
  return bytes;
}
