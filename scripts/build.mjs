// Builds dist/: ES modules split by command, then turned into CommonJS chunks, because a start
// over CommonJS is quicker and its compiled code can be kept between starts (dist/loader.cjs).
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, transform } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: { process: 'src/cli/process.ts', help: 'src/cli/help.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['libsql'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  write: false,
});

for (const file of outputFiles) {
  const { code } = await transform(file.text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minify: true,
    keepNames: false,
  });
  const name = file.path.slice(dist.length + 1).replace(/\.js$/, '.cjs');
  await writeFile(join(dist, name), code.replaceAll(/require\("(\.\/[^"]+)\.js"\)/g, 'require("$1.cjs")'));
}
await writeFile(join(dist, 'meta.json'), JSON.stringify(metafile));
console.log((await readdir(dist)).length, 'files in dist');
