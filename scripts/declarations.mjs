// What a TypeScript module that reads the declarations exports. It is bundled from the sources: no
// build needed.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Keeps out the code of the commands, which declarations import only when they run. */
const declarationsOnly = {
  name: 'declarations-only',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** @param entry the module's path, from the root of the repository */
export async function readDeclarations(entry) {
  const { outputFiles } = await build({
    absWorkingDir: join(import.meta.dirname, '..'),
    entryPoints: [entry],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    plugins: [declarationsOnly],
    write: false,
  });
  const module = { exports: {} };
  const run = new Function('module', 'exports', 'require', outputFiles[0].text);
  run(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}
