/** Makes and reads the files of local/voice: the text that is spoken stands in them. */
import type { Ordered } from '../define.js';
import type { ByteSource, MediaFile, MediaResult } from '../types.js';
import { readWav } from '../wav/read.js';
import { encodeWav } from '../wav/write.js';
import { sampleRate, speak, type Speech } from './speak.js';
import type { VoiceOpts } from './voice.js';

const software = 'svc local/voice';

export function makeSpeech({ prompt, opts }: Ordered<VoiceOpts>): Promise<MediaResult> {
  const speech = { text: prompt, voice: opts.voice, speed: opts.speed };
  const seconds = speak(speech).frames / sampleRate;
  return Promise.resolve({
    files: [speechFile(speech)],
    resultMeta: { seconds, sampleRate, channels: 1, voice: opts.voice },
  });
}

/** A WAV file of a text, which `readSpokenText` finds in it again. */
export function speechFile(speech: Speech): MediaFile {
  const notes = { ISFT: software, ICMT: speech.text };
  return {
    mediaType: 'audio/wav',
    ext: 'wav',
    bytes: () => encodeWav(speak(speech), notes),
  };
}

/**
 * The text that a file of `speechFile` speaks; undefined for any other file. Of files that were
 * joined with all their notes, the texts in their order, one directly after the other.
 */
export async function readSpokenText(source: ByteSource): Promise<string | undefined> {
  const { notes = [] } = (await readWav(source)) ?? {};
  if (!notes.some(({ name, text }) => name === 'ISFT' && text === software)) return undefined;
  return notes
    .filter(({ name }) => name === 'ICMT')
    .map(({ text }) => text)
    .join('');
}
