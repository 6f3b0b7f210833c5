// Builds dist/: ES modules split by command, then turned into CommonJS chunks, because a start
// over CommonJS is quicker and its compiled code can be kept between starts (dist/loader.cjs).
import { createRequire } from 'node:module';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const target = 'node20.19';

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/process.ts', 'src/cli/help.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target,
  // Its native code stays where the package manager put it.
  external: ['libsql'],
  minify: true,
  legalComments: 'none',
  write: false,
});
for (const file of outputFiles) {
  const { code } = await transform(file.text, { format: 'cjs', platform: 'node', target, minify: true });
  const name = basename(file.path).replace(/\.js$/, '.cjs');
  await writeFile(join(dist, name), code.replaceAll(/require\("\.\/([^"]+)\.js"\)/g, 'require("./$1.cjs")'));
}
await copyFile(join(root, 'scripts/loader.cjs'), join(dist, 'loader.cjs'));

const { renderHelp } = createRequire(import.meta.url)(join(dist, 'help.cjs'));
await writeFile(join(dist, 'help.txt'), renderHelp());
