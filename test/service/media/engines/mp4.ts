/** Opens MP4 files with a parser that this project did not write. */
import { createFile, Log, MP4BoxBuffer, type Movie } from 'mp4box';

export interface OpenMovie {
  readonly info: Movie;
  /** The bytes of a track's samples, by the track's number from 0 on. */
  samplesOf(track: number): readonly OpenSample[];
}

interface OpenSample {
  readonly bytes: Uint8Array;
  readonly isKey: boolean;
  readonly ticks: number;
  /** The name of what says how it is coded. */
  readonly coding: string | undefined;
}

const problems: string[] = [];
Log.error = (module, message) => problems.push(`${module}: ${message ?? ''}`);
// The parser goes on reading where a FLAC description says that it ends, and complains of itself.
const mistake = "box 'dfLa' read 38 more bytes";

/** @throws Error when the parser has anything to say against the file */
export function openMovie(bytes: Buffer): OpenMovie {
  problems.length = 0;
  const file = createFile(true);
  const copy = Uint8Array.from(bytes).buffer;
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(copy, 0), true);
  file.flush();
  const found = problems.filter((problem) => !problem.includes(mistake));
  if (found.length > 0) throw new Error(found.join('; '));
  const info = file.getInfo();
  return {
    info,
    samplesOf: (track) => {
      const { id = 0 } = info.tracks[track] ?? {};
      return file
        .getTrackSamplesInfo(id)
        .map(({ offset, size, is_sync, duration, description }) => ({
          bytes: bytes.subarray(offset, offset + size),
          isKey: is_sync,
          ticks: duration,
          coding: 'type' in description ? description.type : undefined,
        }));
    },
  };
}

/** The NAL units of a sample, each after its length. */
export function unitsOf(sample: Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(sample);
  const units: Uint8Array[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4 + bytes.readUInt32BE(at)) {
    units.push(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at)));
  }
  return units;
}
