/** Makes the files of local/voice: the text that is spoken stands in them. */
import type { Ordered } from '../define.js';
import type { MediaFile, MediaResult } from '../types.js';
import { encodeWav, wavBytes } from '../wav/write.js';
import { sampleRate, speak, type Speech } from './speak.js';
import { software } from './marks.js';
import type { VoiceOpts } from './voice.js';

export function makeSpeech({ prompt, opts }: Ordered<VoiceOpts>): Promise<MediaResult> {
  const speech = { text: prompt, voice: opts.voice, speed: opts.speed };
  const seconds = speak(speech).frames / sampleRate;
  return Promise.resolve({
    files: [speechFile(speech)],
    resultMeta: { seconds, sampleRate, channels: 1, voice: opts.voice },
  });
}

/** A WAV file of a text, which `readSpokenText` finds in it again. */
export function speechFile(speech: Speech): MediaFile & { readonly byteLength: number } {
  const notes = { ISFT: software, ICMT: speech.text };
  const sound = speak(speech);
  return {
    mediaType: 'audio/wav',
    ext: 'wav',
    byteLength: wavBytes(sound, notes),
    bytes: () => encodeWav(sound, notes),
  };
}
