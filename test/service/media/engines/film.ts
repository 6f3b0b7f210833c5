/** Opens films with readers that this project did not write: an MP4 parser, and H.264 as WebAssembly. */
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import { createFile, Log, MP4BoxBuffer } from 'mp4box';

interface Frame {
  /** Pixels, whole macroblocks of 16. */
  readonly width: number;
  readonly height: number;
  /** Brightness, then two planes of color of half the size. */
  readonly samples: Uint8Array;
}

interface Decoder {
  decode(unit: Uint8Array): void;
  release(): void;
}

interface Library {
  readonly makeModule: () => Promise<object>;
  readonly Decoder: new (
    module: object,
    onFrame: (samples: Uint8Array, width: number, height: number) => void,
  ) => Decoder;
}

const require = createRequire(import.meta.url);
let library: Promise<Library> | undefined;

/** The frames of NAL units, each without a start code. */
async function decodeUnits(units: readonly Uint8Array[]): Promise<readonly Frame[]> {
  const { makeModule, Decoder } = await (library ??= load());
  const frames: Frame[] = [];
  const decoder = new Decoder(await makeModule(), (samples, width, height) => {
    frames.push({ samples: samples.slice(), width, height });
  });
  for (const unit of units) decoder.decode(Buffer.concat([Buffer.of(0, 0, 0, 1), unit]));
  decoder.release();
  return frames;
}

/** The package is written for a bundler and a worker: it gets a word of both. */
async function load(): Promise<Library> {
  const module = JSON.stringify(require.resolve('tinyh264/lib/TinyH264.js'));
  const decoder = JSON.stringify(require.resolve('tinyh264/lib/TinyH264Decoder.js'));
  const { outputFiles } = await build({
    stdin: {
      contents: `export { default as makeModule } from ${module}; export { default as Decoder } from ${decoder};`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: 'iife',
    globalName: 'library',
    write: false,
    logLevel: 'silent',
  });
  const script = `(self, importScripts) => { ${outputFiles[0]?.text ?? ''}; return library; }`;
  const evaluate: (self: object, importScripts: () => void) => Library = runInThisContext(script);
  return evaluate({ location: { href: 'http://localhost/' } }, () => undefined);
}

const problems: string[] = [];
Log.error = (module, message) => problems.push(`${module}: ${message ?? ''}`);

/** @throws Error when the parser has anything to say against the file */
export function openMovie(bytes: Buffer) {
  problems.length = 0;
  const file = createFile(true);
  const copy = Uint8Array.from(bytes).buffer;
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(copy, 0), true);
  file.flush();
  if (problems.length > 0) throw new Error(problems.join('; '));
  const info = file.getInfo();
  return {
    info,
    /** The samples of a track by its number from 0 on. */
    samplesOf: (track: number) => {
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
function unitsOf(sample: Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(sample);
  const units: Uint8Array[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4 + bytes.readUInt32BE(at)) {
    units.push(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at)));
  }
  return units;
}

/** The parameter sets of an MP4 file's only video track, found by the name of their box. */
function parameterSets(file: Buffer): readonly Uint8Array[] {
  const at = file.indexOf('avcC') + 4;
  const sequenceBytes = file.readUInt16BE(at + 6);
  const picture = at + 8 + sequenceBytes;
  const pictureBytes = file.readUInt16BE(picture + 1);
  return [
    file.subarray(at + 8, at + 8 + sequenceBytes),
    file.subarray(picture + 3, picture + 3 + pictureBytes),
  ];
}

/** The frames that a film's first track shows, by the decoder. */
export async function framesOf(file: Buffer, count = Infinity): Promise<readonly Frame[]> {
  const units = openMovie(file)
    .samplesOf(0)
    .slice(0, count)
    .flatMap(({ bytes }) => unitsOf(bytes));
  return decodeUnits([...parameterSets(file), ...units]);
}
