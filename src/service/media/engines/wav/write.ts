/**
 * Writes WAV files: 16-bit PCM, with notes in a LIST INFO chunk. The notes come last, for many
 * readers take it that the sound begins at byte 44.
 */

export interface Sound {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** How many samples each channel has. */
  readonly frames: number;
  /** The samples, channels interleaved. A piece may be written over after its turn. */
  pieces(): Iterable<Int16Array>;
}

/** Notes by their RIFF name of four letters: INAM title, ICMT comment, ISFT software. */
export type Notes = Readonly<Record<string, string>>;

const bytesPerSample = 2;
/** After this many samples the event loop gets its turn. */
const samplesBetweenTurns = 1 << 18;

/** How many bytes a sound's samples take. */
export function soundBytes({ frames, channels }: Sound): number {
  return frames * channels * bytesPerSample;
}

/** How many bytes the WAV file of a sound takes. */
export function wavBytes(sound: Sound, notes: Notes = {}): number {
  const [riff, format, data] = [12, 24, 8];
  return riff + format + data + soundBytes(sound) + infoList(notes).length;
}

/** The bytes of a WAV file. A note may hold any text, NULs too; readers show it up to the first. */
export async function* encodeWav(sound: Sound, notes: Notes = {}): AsyncGenerator<Uint8Array> {
  const list = infoList(notes);
  const dataBytes = soundBytes(sound);
  const head = chunk('fmt ', format(sound));
  const riff = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
  riff.writeUInt32LE(wavBytes(sound, notes) - 8, 4);
  const data = Buffer.from('data\0\0\0\0', 'latin1');
  data.writeUInt32LE(dataBytes, 4);
  yield Buffer.concat([riff, head, data]);
  yield* littleEndian(sound);
  yield list;
}

/** The samples alone, as they stand in a WAV file: 16 bits, little-endian, interleaved. */
export async function* littleEndian(sound: Sound): AsyncGenerator<Uint8Array> {
  let samples = 0;
  for (const piece of sound.pieces()) {
    const bytes = new Uint8Array(piece.length * bytesPerSample);
    for (let index = 0; index < piece.length; index++) {
      const sample = piece[index] ?? 0;
      bytes[index * 2] = sample;
      bytes[index * 2 + 1] = sample >> 8;
    }
    yield bytes;
    samples += piece.length;
    if (samples >= samplesBetweenTurns) {
      samples = 0;
      await new Promise(setImmediate);
    }
  }
}

function format({ sampleRate, channels }: Sound): Buffer {
  const block = channels * bytesPerSample;
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(1, 0); // PCM
  bytes.writeUInt16LE(channels, 2);
  bytes.writeUInt32LE(sampleRate, 4);
  bytes.writeUInt32LE(sampleRate * block, 8);
  bytes.writeUInt16LE(block, 12);
  bytes.writeUInt16LE(bytesPerSample * 8, 14);
  return bytes;
}

function infoList(notes: Notes): Buffer {
  const entries = Object.entries(notes).map(([name, text]) =>
    chunk(name, Buffer.from(`${text}\0`, 'utf8')),
  );
  return entries.length === 0
    ? Buffer.alloc(0)
    : chunk('LIST', Buffer.concat([Buffer.from('INFO', 'latin1'), ...entries]));
}

/** A chunk ends on an even byte; its length does not count the byte added for that. */
function chunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(8 + data.length + (data.length % 2));
  bytes.write(name, 0, 'latin1');
  bytes.writeUInt32LE(data.length, 4);
  data.copy(bytes, 8);
  return bytes;
}
