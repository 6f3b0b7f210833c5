// Run by bun: one binary of src/.
//   bun compile.mjs TARGET RUNTIME VERSION OUTFILE RELEASES KEYRING [LIBSQL]
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');
const [target, runtime, version, outfile, releases, keyring, libsql] = process.argv.slice(2);
const { logs, success } = await Bun.build({
  entrypoints: [join(import.meta.dirname, 'entry.ts')],
  target: 'bun',
  // Without one of these three it starts more slowly than on Node.
  format: 'esm',
  splitting: true,
  bytecode: true,
  // Its names may hide the one that it uses itself to load a CommonJS module: `m => m(m.default)`.
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: {
    SVC_VERSION: JSON.stringify(version),
    RELEASES: JSON.stringify(releases),
    // libsql mentions its folder, which is another in each clone.
    __dirname: '"."',
  },
  compile: {
    outfile,
    target: `bun-${target}`,
    executablePath: runtime,
    // Nothing from the working folder: it may be a clone of somebody else's.
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
  plugins: [{ name: 'svc', setup }],
});
for (const log of logs) console.error(log);
process.exitCode = success ? 0 : 1;

function setup({ onLoad, onResolve }) {
  onResolve({ filter: /\?raw$/ }, ({ path, importer }) => ({
    // As seen from the root, so that each clone makes the same bytes.
    path: relative(root, join(importer, '..', path.slice(0, -'?raw'.length))),
    namespace: 'raw',
  }));
  onLoad({ filter: /./, namespace: 'raw' }, async ({ path }) => ({
    contents: `export default ${JSON.stringify(await readFile(join(root, path), 'utf8'))}`,
    loader: 'js',
  }));
  onLoad({ filter: /[\\/]@napi-rs[\\/]keyring[\\/]index\.js$/ }, () => ({
    contents: `module.exports = require(${JSON.stringify(keyring)})`,
    loader: 'js',
  }));
  onLoad({ filter: /[\\/]libsql[\\/]index\.js$/ }, async ({ path }) => {
    if (!libsql) return { contents: 'export default undefined', loader: 'js' };
    // It asks the machine which native part to load; here it is the target's, embedded.
    const code = await readFile(path, 'utf8');
    const contents = code.replace('= requireNative()', `= require(${JSON.stringify(libsql)})`);
    if (contents === code) throw new Error('libsql chooses its native part in another way now');
    return { contents, loader: 'js' };
  });
}
