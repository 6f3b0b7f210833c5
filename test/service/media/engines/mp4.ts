/** Opens MP4 files with a parser that this project did not write. */
import { createFile, MP4BoxBuffer, type Movie } from 'mp4box';

export interface OpenMovie {
  readonly info: Movie;
  /** The bytes of a track's samples, by the track's number from 0 on. */
  samplesOf(track: number): readonly OpenSample[];
}

interface OpenSample {
  readonly bytes: Uint8Array;
  readonly isKey: boolean;
  readonly ticks: number;
}

export function openMovie(bytes: Buffer): OpenMovie {
  const file = createFile(true);
  let problem: string | undefined;
  file.onError = (module, message) => (problem = `${module}: ${message}`);
  const copy = Uint8Array.from(bytes).buffer;
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(copy, 0), true);
  file.flush();
  if (problem !== undefined) throw new Error(problem);
  const info = file.getInfo();
  return {
    info,
    samplesOf: (track) => {
      const { id = 0 } = info.tracks[track] ?? {};
      return file.getTrackSamplesInfo(id).map(({ offset, size, is_sync, duration }) => ({
        bytes: bytes.subarray(offset, offset + size),
        isKey: is_sync,
        ticks: duration,
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
