/** An H.264 decoder that this project did not write, as WebAssembly inside a script. */
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';

export interface Frame {
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
export async function decodeUnits(units: readonly Uint8Array[]): Promise<readonly Frame[]> {
  const { makeModule, Decoder } = await (library ??= load());
  const frames: Frame[] = [];
  const decoder = new Decoder(await makeModule(), (samples, width, height) => {
    frames.push({ samples: Uint8Array.from(samples), width, height });
  });
  for (const unit of units) decoder.decode(Uint8Array.from([0, 0, 0, 1, ...unit]));
  decoder.release();
  return frames;
}

/** The package is written for a bundler and a worker: it gets a word of both. */
async function load(): Promise<Library> {
  const module = JSON.stringify(require.resolve('tinyh264/lib/TinyH264.js'));
  const decoder = JSON.stringify(require.resolve('tinyh264/lib/TinyH264Decoder.js'));
  const { outputFiles } = await build({
    stdin: {
      contents:
        `export { default as makeModule } from ${module};` +
        `export { default as Decoder } from ${decoder};`,
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
