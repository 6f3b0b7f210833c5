/** How loud a recording is over its length, from a sample of its bytes. */
import { readers } from './cut.js';
import { mp3Pieces } from './mp3.js';
import { bufferSource, exactly, type SizedSource } from './source.js';
import { readWav } from './wav.js';

/** Read of each stretch, so that hours take no longer than minutes. */
const stretchBytes = 8 * 1024;
const bars = '▁▂▃▄▅▆▇█';

/** `▁▂▅▇▅▂ 0:07`, with `count` bars; undefined unless it is WAV or MP3. */
export async function waveformOf(file: SizedSource, count: number): Promise<string | undefined> {
  const wav = await readWav(file);
  const recording = wav ? { source: file, ...wav } : await decodedMp3(file);
  if (!recording) return undefined;
  const { source, dataFrom, dataTo, format } = recording;
  const { encoding, bitsPerSample, blockBytes, sampleRate } = format;
  const sampleAt = readers[`${encoding}/${bitsPerSample}`];
  const blocks = (dataTo - dataFrom) / blockBytes;
  if (!sampleAt || blocks === 0) return undefined;
  const step = bitsPerSample / 8;
  const place = (index: number) => dataFrom + Math.floor((blocks * index) / count) * blockBytes;
  const levels: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const length = Math.min(place(index + 1) - place(index), stretchBytes);
    const bytes = await exactly(source, place(index), length);
    let power = 0;
    for (let at = 0; at + step <= bytes.length; at += step) power += sampleAt(bytes, at) ** 2;
    levels.push(Math.sqrt((power * step) / Math.max(step, bytes.length)));
  }
  const loudest = Math.max(...levels, Number.MIN_VALUE);
  const drawn = levels.map((level) => bars[Math.round((level / loudest) * (bars.length - 1))]);
  const clock = new Date(Math.round(blocks / sampleRate) * 1000).toISOString().slice(11, 19);
  return `${drawn.join('')} ${clock.replace(/^(?:00:)?0?/, '')}`;
}

/** Stretches of it, as samples at a rate that gives them the length of the whole. */
async function decodedMp3(file: SizedSource) {
  let [seconds, from, to] = [0, 0, 0];
  for await (const { frame, offset, byteLength } of mp3Pieces(file)) {
    if (!frame) continue;
    if (to === 0) from = offset;
    to = offset + byteLength;
    seconds += frame.samples / frame.sampleRate;
  }
  if (to === 0) return undefined;
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const decoded: Float32Array[] = [];
  // All of it, or stretches at equal distances.
  for (let at = from; at < to; at += Math.max(stretchBytes, Math.floor((to - from) / 60))) {
    const bytes = await exactly(file, at, Math.min(stretchBytes, to - at));
    decoded.push(...decoder.decode(bytes).channelData.slice(0, 1));
  }
  const bytes = Buffer.concat(decoded.map(({ buffer }) => new Uint8Array(buffer)));
  const sampleRate = bytes.length / 4 / seconds;
  const format = { encoding: 3, bitsPerSample: 32, blockBytes: 4, sampleRate };
  return { source: bufferSource(bytes), dataFrom: 0, dataTo: bytes.length, format };
}
