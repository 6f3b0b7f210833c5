/**
 * The text that a file of local/voice speaks, as it stands in the file: in the comment of a WAV
 * file, the words of an MP3 or FLAC file. A piece keeps the white space at its ends, and pieces
 * are read in the order of the file with nothing put between them: so when a text is cut
 * anywhere, spoken in pieces and the files are joined with all their notes, what is read is the
 * text again. Of a file that was cut short, the text of the part that was cut is not told.
 */
import { readTag } from '../measure/id3.js';
import { readMp3, type Mp3File, type Mp3Part } from '../measure/mp3.js';
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';
import { readWav } from '../wav/read.js';
import { readFlacWords } from './flac-words.js';
import { software } from './marks.js';

/** A tag larger than this holds no text of ours. */
const mostTagBytes = 1024 * 1024;

/** The text of one or more joined files; undefined for any file that is not ours. */
export async function readSpokenText(source: ByteSource): Promise<string | undefined> {
  const start = bufferOf(await source.read(0, 4)).toString('latin1');
  if (start === 'fLaC') return readFlacWords(source);
  if (start.startsWith('ID3')) return mp3Text(source);
  return wavText(source);
}

async function wavText(source: ByteSource): Promise<string | undefined> {
  const { notes = [] } = (await readWav(source)) ?? {};
  if (!notes.some(({ name, text }) => name === 'ISFT' && text === software)) return undefined;
  return notes
    .filter(({ name }) => name === 'ICMT')
    .map(({ text }) => text)
    .join('');
}

async function mp3Text(source: ByteSource): Promise<string | undefined> {
  const mp3 = await readMp3(source);
  const texts: string[] = [];
  for (const part of mp3?.parts ?? []) {
    const text = mp3 && (await partText(source, mp3, part));
    if (text !== undefined) texts.push(text);
  }
  return texts.length > 0 ? texts.join('') : undefined;
}

async function partText(
  source: ByteSource,
  { samplesPerFrame, sampleRate }: Mp3File,
  { tag, frameCount }: Mp3Part,
): Promise<string | undefined> {
  if (!tag || tag.byteLength > mostTagBytes) return undefined;
  const fields = readTag(bufferOf(await source.read(tag.offset, tag.byteLength)));
  const field = (name: string) => fields.find((one) => one.name === name)?.text;
  const heardMs = ((frameCount * samplesPerFrame) / sampleRate) * 1000;
  // The text comes before the sound, so it is there even when the sound is not.
  const isWhole = heardMs >= Number(field('TLEN') ?? Infinity);
  return field('TSSE') === software && isWhole ? field('USLT') : undefined;
}
