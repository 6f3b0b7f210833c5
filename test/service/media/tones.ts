import { wav as wavFile } from '../../lib/audio/files.js';

const rate = 8000;

/** A recording of a tone: 16-bit mono PCM at 8 kHz. */
export function wav(seconds: number): Buffer {
  const sound = Buffer.alloc(Math.round(seconds * rate) * 2);
  for (let i = 0; i < sound.length / 2; i += 1) {
    sound.writeInt16LE(Math.round(8000 * Math.sin((i * 2 * Math.PI * 440) / rate)), i * 2);
  }
  return wavFile(sound);
}
