// Builds dist/, or the folder that is named. esbuild splits the code by what loads when; then the
// chunks are packed into few files, as functions that run when they are first required: opening
// twenty files costs more than reading one. CommonJS, since starting the ES module loader costs
// 2.5 to 5 ms and its compiled code cannot be kept (scripts/loader.cjs keeps it).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { licensesOf } from './licenses.mjs';

const root = join(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
const target = 'node20.19';
/** commander uses it only for subcommands that are separate programs; loading it costs 5 ms. */
const lazyChildProcess = {
  name: 'lazy-child-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?child_process$/ }, ({ importer }) =>
      importer.includes('/commander/') ? { path: 'child_process', namespace: 'lazy' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'lazy' }, () => ({
      contents: `exports.spawn = (...args) => require('node:child_process').spawn(...args)`,
    }));
  },
};
/** undici loads it for HTTP/2, which svc does not speak: node:http2 costs 15 ms. */
const noHttp2 = {
  name: 'no-http2',
  setup({ onLoad }) {
    onLoad({ filter: /undici.lib.dispatcher.client-h2\.js$/ }, () => ({ contents: '' }));
  },
};
/** Makes a value when it is first used. */
const lazily = `const lazily = (make) => {
  let made;
  const value = () => (made ??= make());
  return new Proxy({}, {
    get: (_, key) => value()[key],
    has: (_, key) => key in value(),
    getPrototypeOf: () => Object.getPrototypeOf(value()),
  });
};`;
/** Its end is followed by a statement, and not by the end of a function in it. */
const constant =
  /^((?:export )?const [A-Z]\w+Schema = )((?:z|[A-Z]\w+Schema)\b[^]*?);$(?=\n[^\s}])/gm;
/**
 * The SDK of MCP makes 160 schemas, of which a call needs a few, and loads ajv for the answers to
 * questions, which svc does not ask: 12 and 20 ms of each start.
 */
const lazySchemas = {
  name: 'lazy-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /sdk.dist.esm.validation.ajv-provider\.js$/ }, () => ({
      contents: 'export class AjvJsonSchemaValidator {}',
    }));
    onLoad({ filter: /sdk.dist.esm.types\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const changed = code.replaceAll(constant, '$1/* @__PURE__ */ lazily(() => $2);');
      return { contents: `${lazily}\n${changed}` };
    });
  },
};

// What local/guide quotes is made of the manual and the declarations.
execFileSync(process.execPath, [join(root, 'scripts/generate.mjs'), '--data'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/process.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target,
  // Where svc is installed: the loader hands over its own folder.
  define: { 'import.meta.dirname': '__dirname' },
  // Its native code stays where the package manager put it.
  external: ['libsql'],
  plugins: [lazyChildProcess, noHttp2, lazySchemas],
  // The scripts of completions/, which `svc completion` prints; zsh's has no extension.
  loader: { '.bash': 'text', '.fish': 'text', '.ps1': 'text', '.html': 'text', '': 'text' },
  minify: true,
  legalComments: 'none',
  metafile: true,
  write: false,
});

/**
 * What every start reads: what each command needs, what this many share, and what is too small to
 * be worth a file of its own. The rest is read when it is needed; what is small, by group; what is
 * large, alone.
 */
const hot = {
  entries: ['process', 'connect', 'attempt'],
  groups: ['account', 'chat'],
  shares: 4,
  largest: 65_536,
  bytes: 4096,
};

const { outputs } = metafile;
/** For each chunk, the entries (commands, and what else loads late) that cannot do without it. */
const users = new Map(Object.keys(outputs).map((path) => [path, new Set()]));
for (const [entry, { entryPoint }] of Object.entries(outputs)) {
  if (entryPoint) for (const path of closureOf(entry)) users.get(path)?.add(entry);
}

function closureOf(path, seen = new Set()) {
  seen.add(path);
  for (const { path: needed, kind } of outputs[path]?.imports ?? []) {
    if (kind === 'import-statement' && !seen.has(needed)) closureOf(needed, seen);
  }
  return seen;
}

/** The library that an entry is a part of, when it is one that loads its own parts late. */
function libraryOf(entry) {
  const nameOf = (path) =>
    /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(outputs[path].entryPoint)?.[1];
  const name = nameOf(entry);
  const parts = name && Object.keys(outputs).filter((path) => nameOf(path) === name);
  return parts?.length > 1 ? name.replace('/', '-') : undefined;
}

/** The commands that an entry belongs to, such as `logs`; the most common ones are hot. */
function groupOf(entry) {
  const [, name] = /^src\/commands\/([^/]+)\//.exec(outputs[entry].entryPoint) ?? [];
  return name && !hot.groups.includes(name) ? `${name}-commands` : undefined;
}

/**
 * Which file of dist/ holds a chunk: what every start needs, the embedded service, a library with
 * all its parts, or its own.
 */
function homeOf(path) {
  const { inputs, bytes } = outputs[path];
  if (Object.keys(inputs).some((input) => input.startsWith('src/service/'))) return 'service';
  const usedBy = users.get(path);
  const [library, ...others] = new Set([...usedBy].map(libraryOf));
  if (library && others.length === 0) return library;
  const isHot = [...usedBy].some((entry) =>
    hot.entries.some((name) => entry.startsWith(`dist/${name}`)),
  );
  const groups = new Set([...usedBy].map(groupOf));
  const [group] = groups;
  if (!isHot && groups.size === 1 && group && bytes <= hot.bytes) return group;
  const isShared = usedBy.size >= hot.shares && bytes <= hot.largest;
  if (isHot || isShared || bytes <= hot.bytes) return 'svc';
  const [first] = [...usedBy].sort();
  return basename(first ?? path, '.js');
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const hash = createHash('sha256');
const homes = {};
const files = {};
for (const file of outputFiles) {
  const name = basename(file.path, '.js');
  const { code } = await transform(file.text, {
    format: 'cjs',
    platform: 'node',
    target,
    minify: true,
    charset: 'ascii',
    // import() would start the loader of ES modules.
    supported: { 'dynamic-import': false },
  });
  // esbuild leaves letters in patterns as they are, and the loader reads files byte by byte.
  const ascii = code.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const linked = ascii.replaceAll(/require\("\.\/([^"]+)\.js"\)/g, 'require("./$1")');
  const home = homeOf(`dist/${name}.js`);
  if (home !== 'svc') homes[name] = home;
  (files[home] ??= []).push(`${JSON.stringify(name)}(module,exports,require,__dirname){${linked}}`);
  hash.update(name).update(linked);
}
for (const [home, chunks] of Object.entries(files)) {
  await writeFile(join(dist, `${home}.cjs`), `({${chunks.join(',\n')}})\n`);
}
const loader = await readFile(join(root, 'scripts/loader.cjs'), 'utf8');
await writeFile(
  join(dist, 'loader.cjs'),
  loader
    .replace('BUILD_ID', hash.digest('hex').slice(0, 16))
    .replace('VERSION', version)
    .replace('HOMES', JSON.stringify(homes)),
);

// The general help is rendered once, at build time; --quiet renders it again.
const run = "require(process.argv[1]).load('process').runProcess('')";
const words = ['-e', run, join(dist, 'loader.cjs'), '--quiet', '--help'];
for (const [name, colour] of Object.entries({ 'help.txt': '0', 'help-styled.txt': '1' })) {
  const env = { ...process.env, NO_COLOR: '', FORCE_COLOR: colour, SVC_AGENT: 'off' };
  await writeFile(join(dist, name), execFileSync(process.execPath, words, { env }));
}
// bin/svc.cjs must not give a coding agent the styled help.
await copyFile(join(root, 'src/lib/agents.json'), join(dist, 'agents.json'));
await writeFile(join(dist, 'licenses.txt'), await licensesOf(root, Object.keys(metafile.inputs)));
