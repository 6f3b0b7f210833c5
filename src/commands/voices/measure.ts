/** How long a recording is. The library that knows is loaded with the first one. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { openFile } from '../../files/named-file.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { wavSeconds } from '../../lib/audio/wav.js';

export interface Recording {
  readonly path: string;
  /** In bytes. */
  readonly length: number;
  readonly mediaType: 'audio/wav' | 'audio/mpeg';
}

/** Small enough that a key pressed meanwhile is heard. */
const pieceBytes = 64 * 1024;

/**
 * The length of a recording in seconds; undefined when its bytes are damaged or something else.
 * @throws LocalFileError when it cannot be read; the signal's reason when aborted.
 */
export async function secondsOf(
  recording: Recording,
  signal: AbortSignal,
): Promise<number | undefined> {
  signal.throwIfAborted();
  const { mediaType, path } = recording;
  const isWav = mediaType === 'audio/wav';
  try {
    const { container, duration = 0 } = await (isWav ? wavFormat(path) : mp3Format(path, signal));
    const isWhatItSeems = container === (isWav ? 'WAVE' : 'MPEG');
    if (isWhatItSeems && duration > 0 && Number.isFinite(duration)) return duration;
  } catch (error) {
    signal.throwIfAborted();
    if (codeOf(error) !== undefined) throw fileTrouble(error, `cannot read ${path}`);
  }
  return isWav ? soundSeconds(path) : undefined;
}

async function wavFormat(path: string) {
  const { parseFile } = await import('music-metadata');
  return (await parseFile(path, { skipCovers: true })).format;
}

/** The library gives up on notes that are written badly, and where the head tells of no sound. */
async function soundSeconds(path: string): Promise<number | undefined> {
  const file = await openFile(path);
  try {
    return await wavSeconds(file);
  } finally {
    await file.close();
  }
}

/** Its frames are counted: what its head says, or its size, is not true of every file. */
async function mp3Format(path: string, signal: AbortSignal) {
  const { parseStream } = await import('music-metadata');
  const file = createReadStream(path, { highWaterMark: pieceBytes, signal });
  // Knowing the size, as of a file's own stream, the library would take the first bit rate for
  // that of the whole.
  const stream = Readable.from(file, { objectMode: false });
  try {
    const about = { mimeType: 'audio/mpeg' };
    return (await parseStream(stream, about, { duration: true, skipCovers: true })).format;
  } finally {
    stream.destroy();
  }
}
