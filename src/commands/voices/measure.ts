/** How long a recording is. The library that knows is loaded with the first one. */
import { createReadStream } from 'node:fs';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';

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
  const { length, mediaType, path } = recording;
  try {
    const format =
      mediaType === 'audio/wav' ? await wavFormat(path) : await mp3Format(recording, signal);
    const { bitrate, codecProfile, container, duration } = format;
    if (container !== (mediaType === 'audio/wav' ? 'WAVE' : 'MPEG')) return undefined;
    if (duration === undefined || !(duration > 0)) return undefined;
    // A head may tell of more than there is: that of a pipe, or of a file that was cut.
    const isSteady = mediaType === 'audio/wav' || codecProfile === 'CBR';
    return isSteady && bitrate ? Math.min(duration, (length * 8) / bitrate) : duration;
  } catch (error) {
    signal.throwIfAborted();
    if (codeOf(error) !== undefined) throw fileTrouble(error, `cannot read ${path}`);
    return undefined;
  }
}

async function wavFormat(path: string) {
  const { parseFile } = await import('music-metadata');
  return (await parseFile(path, { skipCovers: true })).format;
}

/** Without a head that tells, every frame of it is counted. */
async function mp3Format({ path, length }: Recording, signal: AbortSignal) {
  const { parseStream } = await import('music-metadata');
  const stream = createReadStream(path, { highWaterMark: pieceBytes, signal });
  try {
    const about = { mimeType: 'audio/mpeg', size: length };
    return (await parseStream(stream, about, { duration: true, skipCovers: true })).format;
  } finally {
    stream.destroy();
  }
}
