/**
 * The text that a file of local/voice speaks, as it stands in the file. A piece keeps the white
 * space at its ends, and pieces are read in the order of the file with nothing put between them:
 * so when a text is cut anywhere, spoken in pieces and the files are joined with all their notes,
 * what is read is the text again.
 */
import type { ByteSource } from '../types.js';
import { readWav } from '../wav/read.js';

/** What tells a file of ours from others. */
export const software = 'svc local/voice';

/** The text of one or more joined files; undefined for any file that is not ours. */
export async function readSpokenText(source: ByteSource): Promise<string | undefined> {
  const { notes = [] } = (await readWav(source)) ?? {};
  if (!notes.some(({ name, text }) => name === 'ISFT' && text === software)) return undefined;
  return notes
    .filter(({ name }) => name === 'ICMT')
    .map(({ text }) => text)
    .join('');
}
