/** Speech as MP3: a tag with the text, then frames of one bit rate. */
import { writeTag } from '../measure/id3.js';
import type { Sound } from '../wav/write.js';
import { software } from './marks.js';
import { sampleRate } from './speak.js';

/** Enough for one voice; a hundred thousand characters stay below what transcription takes. */
const kbps = 32;
/**
 * After this many samples, which take some 10 ms, the event loop gets its turn: two pieces may be
 * made at once, on a machine that has more to do, and a Ctrl-C is to be heard within 200 ms.
 */
const samplesBetweenTurns = 1 << 14;
const fullScale = 32_768;

/** The bytes of an MP3 file of one voice. */
export async function* encodeMp3(sound: Sound, text: string): AsyncGenerator<Uint8Array> {
  const milliseconds = Math.floor((sound.frames / sampleRate) * 1000);
  yield writeTag([
    { name: 'TSSE', text: software },
    { name: 'TLEN', text: String(milliseconds) },
    { name: 'USLT', text },
  ]);
  const { createMp3Encoder } = await import('../../../../lib/mp3-encoder.js');
  const encoder = await createMp3Encoder();
  // Left to itself it would choose a lower rate.
  encoder.configure({ sampleRate, channels: 1, bitrate: kbps, outputSampleRate: sampleRate });
  let samples = 0;
  for (const piece of sound.pieces()) {
    const frames = encoder.encode([Float32Array.from(piece, (sample) => sample / fullScale)]);
    // The encoder writes over its bytes.
    if (frames.length > 0) yield frames.slice();
    samples += piece.length;
    if (samples >= samplesBetweenTurns) {
      samples = 0;
      await new Promise(setImmediate);
    }
  }
  yield encoder.finalize().slice();
}
