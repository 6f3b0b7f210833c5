// Builds dist/, or the folder that is named. rolldown splits the code by what loads when; then the
// chunks are packed into few files, as functions that run when they are first required: opening
// twenty files costs more than reading one. CommonJS, since starting the ES module loader costs
// 2.5 to 5 ms and its compiled code cannot be kept (scripts/loader.cjs keeps it).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { readDeclarations } from './declarations.mjs';
import { assertBundled, licensesOf, packagesOf } from './licenses.mjs';
import { sbomOf } from './release/sbom.mjs';

const root = join(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
/** The scripts of completions/, which `svc completion` prints. */
const rawText = {
  name: 'raw-text',
  resolveId: (id, importer) => (id.endsWith('?raw') ? join(importer, '..', id) : undefined),
  async load(id) {
    if (!id.endsWith('?raw')) return undefined;
    const text = await readFile(id.slice(0, -'?raw'.length), 'utf8');
    return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' };
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
/** An expression of bytes, for what few starts read: it is small in dist/, and takes 1 to 4 ms. */
function inflating(bytes) {
  const text = brotliCompressSync(bytes).toString('base64');
  return `require("node:zlib").brotliDecompressSync(Buffer.from("${text}", "base64"))`;
}
/** @param holder matches the expression of the bytes, which are in base64 in it or before it */
const inflatingBase64 = (holder) => (code) => {
  const [text] = /[\w+/=]{50000,}/.exec(code);
  const bytes = inflating(Buffer.from(text, 'base64'));
  return code.replace(holder, () => bytes).replace(`'${text}'`, "''");
};
/** Where Node has its own SQLite, nothing of libsql is called: its native part waits for a call. */
function withLazyNative(code) {
  const [text, names] = /const \{([\w,\s]+)\} = requireNative\(\);/.exec(code);
  const lazy = names
    .match(/\w+/g)
    .map((name) => `function ${name}(...args) { return native().${name}.apply(this, args); }`);
  const native = 'let loaded; const native = () => (loaded ??= requireNative());';
  return code.replace(text, () => [native, ...lazy].join('\n'));
}
/** Modules by the end of their path, and what becomes of their text. */
const changes = [
  // undici loads it for HTTP/2, which svc does not speak; node:http2 costs 15 ms.
  [/\/undici\/lib\/dispatcher\/client-h2\.js$/, () => ''],
  // cli-table3 loads it for colours of its own, which svc does not ask for.
  [/\/@colors\/colors\/safe\.js$/, () => ''],
  // ora shows one of 80 spinners, or another where the terminal has few letters.
  [
    /\/cli-spinners\/spinners\.json$/,
    (text) => {
      const { dots, line } = JSON.parse(text);
      return JSON.stringify({ dots, line });
    },
  ],
  [/\/libsql\/index\.js$/, withLazyNative],
  [
    /\/engines\/manual-\w+\.json$/,
    (text) => ({ code: `export default JSON.parse(${inflating(text)});`, moduleType: 'js' }),
  ],
  [/\/jq-wasm\/dist\/inline\.mjs$/, inflatingBase64(/__toBinaryNode\("([\w+/=]+)"\)/)],
  // What undici needs where WebAssembly has no SIMD.
  [
    /\/undici\/lib\/llhttp\/llhttp-wasm\.js$/,
    inflatingBase64(/Buffer\.from\(wasmBase64, 'base64'\)/),
  ],
  // The SDK of MCP loads ajv for the answers to questions, which svc does not ask: 20 ms.
  [
    /\/sdk\/dist\/esm\/validation\/ajv-provider\.js$/,
    () => 'export class AjvJsonSchemaValidator {}',
  ],
  // This module makes 160 schemas, of which a call needs a few: 12 ms of each start.
  [
    /\/sdk\/dist\/esm\/types\.js$/,
    (code) => `${lazily}\n${code.replaceAll(constant, '$1/* @__PURE__ */ lazily(() => $2);')}`,
  ],
];
const changing = {
  name: 'changing',
  async load(id) {
    const [, change] = changes.find(([end]) => end.test(id)) ?? [];
    return change?.(await readFile(id, 'utf8'));
  },
};
const { endpoints } = await readDeclarations('src/contract/index.ts');
const rows = endpoints.map(({ body, query, refusal, returns, ...row }) => row);
/** Modules by who asks for them and by what name, and the text in their place. */
const replacements = [
  // commander uses it only for subcommands that are separate programs; loading it costs 5 ms.
  [
    '/commander/',
    /^(node:)?child_process$/,
    `exports.spawn = (...args) => require('node:child_process').spawn(...args)`,
  ],
  // libsql asks which libc there is, which takes 12 ms. A package of a libc that is not here is not
  // installed or cannot be loaded, so trying says it at once.
  ['/libsql/', /^detect-libc$/, `exports.familySync = () => '';\nexports.GLIBC = 'glibc';`],
  [
    '/libsql/',
    /^@neon-rs\/load$/,
    `exports.currentTarget = () => {
      const { arch, platform } = process;
      const abis = { linux: ['gnu', 'musl', 'gnueabihf', 'musleabihf'], win32: ['msvc'] };
      let failure;
      for (const abi of abis[platform] ?? ['']) {
        const target = [platform, arch, abi].filter(Boolean).join('-');
        try {
          require('@libsql/' + target);
          return target;
        } catch (error) {
          if (!failure || failure.code === 'MODULE_NOT_FOUND') failure = error;
        }
      }
      throw failure;
    };`,
  ],
  // The embedded service finds the row of a request in the table; its handlers load their schemas.
  [
    '/service/service.ts',
    /^\.\.\/contract\/index\.js$/,
    `export const endpoints = ${JSON.stringify(rows)};`,
  ],
];
const replacing = {
  name: 'replacing',
  resolveId(id, importer = '') {
    const at = replacements.findIndex(([by, name]) => name.test(id) && importer.includes(by));
    return at === -1 ? undefined : `\0replacement-${at}`;
  },
  load: (id) => replacements[/^\0replacement-(\d)$/.exec(id)?.[1]]?.[2],
};
/**
 * The SDK of MCP has a copy of zod for itself, since it uses twice as much of it as svc: shared, the
 * whole would be read by each start.
 */
const ownZod = '?own';
const zodOfSdk = {
  name: 'zod-of-sdk',
  async resolveId(id, importer = '') {
    const isAsked = importer.includes('/@modelcontextprotocol/') && /^zod\b/.test(id);
    if (!isAsked && !importer.endsWith(ownZod)) return undefined;
    const { id: file } = await this.resolve(id, importer.replace(ownZod, ''), { skipSelf: true });
    return `${file}${ownZod}`;
  },
  load: (id) => (id.endsWith(ownZod) ? readFile(id.slice(0, -ownZod.length), 'utf8') : undefined),
};

// What local/guide quotes is made of the manual and the declarations.
execFileSync(process.execPath, [join(root, 'scripts/generate.mjs'), '--data'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const { releasesOf } = await readDeclarations('scripts/release/repository.ts');
const releases = releasesOf(manifest, process.env) ?? '';
const bundle = await rolldown({
  cwd: root,
  input: 'src/cli/process.ts',
  platform: 'node',
  // Its native code stays where the package manager put it.
  external: '@napi-rs/keyring',
  transform: {
    target: 'node20.19',
    // Where svc is installed: the loader hands over its own folder.
    define: { 'import.meta.dirname': '__dirname', RELEASES: JSON.stringify(releases) },
  },
  plugins: [rawText, changing, replacing, zodOfSdk],
});
const { output } = await bundle.generate({
  format: 'cjs',
  dynamicImportInCjs: false,
  minify: true,
  comments: { legal: false },
  chunkFileNames: '[name]-[hash]',
  entryFileNames: '[name]',
});
const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));

/**
 * What every start reads: what each command needs, what this many share, and what is too small to
 * be worth a file of its own. The rest is read when it is needed; what is small, by group; what is
 * large, alone.
 */
const hot = {
  entries: ['process', 'connect', 'attempt', 'exchange', 'balance', 'chat'],
  groups: ['account', 'chat'],
  shares: 4,
  largest: 65_536,
  bytes: 3072,
};

/** For each chunk, the entries (commands, and what else loads late) that cannot do without it. */
const users = new Map(output.map(({ fileName }) => [fileName, new Set()]));
const late = new Set(output.flatMap(({ dynamicImports }) => dynamicImports));
for (const chunk of output) {
  if (!chunk.isEntry && !late.has(chunk.fileName)) continue;
  for (const name of closureOf(chunk.fileName)) users.get(name)?.add(chunk);
}

function closureOf(name, seen = new Set()) {
  seen.add(name);
  for (const needed of chunks.get(name)?.imports ?? []) {
    if (!seen.has(needed)) closureOf(needed, seen);
  }
  return seen;
}

/** The module that an entry is there for: what it needs comes before it. */
function sourceOf({ facadeModuleId, moduleIds }) {
  return facadeModuleId ?? moduleIds.at(-1);
}

/** The library that an entry is a part of, when it is one that loads its own parts late. */
function libraryOf(entry) {
  const nameOf = (chunk) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(sourceOf(chunk))?.[1];
  const name = nameOf(entry);
  const parts = name && output.filter((chunk) => nameOf(chunk) === name);
  return parts?.length > 1 ? name.replace('/', '-') : undefined;
}

/** The commands that an entry belongs to, such as `logs`; the most common ones are hot. */
function groupOf(entry) {
  const [, name] = /\/src\/commands\/([^/]+)\//.exec(sourceOf(entry)) ?? [];
  return name && !hot.groups.includes(name) ? `${name}-commands` : undefined;
}

const getter =
  /Object\.defineProperty\(exports,"(\w+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;

/**
 * Exports that never change are values: a getter for each of them takes 2 ms of each start, and a
 * tenth of the code.
 */
function withPlainExports(code) {
  const fixed = new Set(
    parseAst(code).body.flatMap(({ type, kind, declarations, id }) => {
      if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') return id.name;
      return kind === 'const' ? declarations.map((one) => one.id.name) : [];
    }),
  );
  return code.replaceAll(getter, (text, name, value) =>
    fixed.has(value) ? `exports.${name}=${value}` : text,
  );
}

/**
 * Which file of dist/ holds a chunk: what every start needs, the embedded service, a library with
 * all its parts, or its own.
 */
function homeOf({ fileName, moduleIds, code }) {
  // Few questions to the embedded service are in Russian.
  if (moduleIds.some((id) => id.endsWith('/engines/book-ru.ts'))) return 'guide-ru';
  if (moduleIds.some((id) => id.includes('/src/service/'))) return 'service';
  // Only help and texts need what error codes mean.
  const texts = /\/src\/(?:texts\/(en|ru)|error-codes)/;
  const [found, language = 'en'] = moduleIds.map((id) => texts.exec(id)).find(Boolean) ?? [];
  if (found) return `texts-${language}`;
  const usedBy = users.get(fileName);
  const [library, ...others] = new Set([...usedBy].map(libraryOf));
  if (library && others.length === 0) return library;
  const isHot = [...usedBy].some(({ name }) => hot.entries.includes(name));
  const groups = new Set([...usedBy].map(groupOf));
  const [group] = groups;
  const isSmall = code.length <= hot.bytes;
  if (!isHot && groups.size === 1 && group && isSmall) return group;
  const isShared = usedBy.size >= hot.shares && code.length <= hot.largest;
  if (isHot || isShared || isSmall) return 'svc';
  return [...usedBy].map((entry) => entry.fileName).sort()[0] ?? fileName;
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const inputs = output
  .flatMap(({ moduleIds }) => moduleIds)
  .map((id) => relative(root, id).replaceAll('\\', '/'));
assertBundled(manifest, inputs, root);
const hash = createHash('sha256');
const homes = {};
const files = {};
for (const chunk of output) {
  const { fileName: name } = chunk;
  // The loader reads files byte by byte.
  const code = withPlainExports(chunk.code).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const home = homeOf(chunk);
  if (home !== 'svc') homes[name] = home;
  (files[home] ??= []).push(`${JSON.stringify(name)}(module,exports,require,__dirname){${code}}`);
  hash.update(name).update(code);
}
for (const [home, functions] of Object.entries(files)) {
  await writeFile(join(dist, `${home}.cjs`), `({${functions.join(',\n')}})\n`);
}
const loader = await readFile(join(root, 'scripts/loader.cjs'), 'utf8');
const places = JSON.parse(await readFile(join(root, 'src/state/places.json'), 'utf8'));
await writeFile(
  join(dist, 'loader.cjs'),
  loader
    .replace('BUILD_ID', hash.digest('hex').slice(0, 16))
    .replace('VERSION', manifest.version)
    .replace('HOMES', JSON.stringify(homes))
    .replace('PLACES', JSON.stringify(places)),
);

// The general help is rendered once, at build time; --quiet renders it again.
const run = "require(process.argv[1]).load('process').runProcess('')";
const words = ['-e', run, join(dist, 'loader.cjs'), '--quiet', '--help'];
for (const [name, colour] of Object.entries({ 'help.txt': '0', 'help-styled.txt': '1' })) {
  const env = {
    ...process.env,
    NO_COLOR: '',
    FORCE_COLOR: colour,
    SVC_AGENT: 'off',
    SVC_LANG: 'en',
  };
  await writeFile(join(dist, name), execFileSync(process.execPath, words, { env }));
}
// bin/svc.cjs must not give the styled help to a coding agent.
await copyFile(join(root, 'src/lib/agents.json'), join(dist, 'agents.json'));
await writeFile(join(dist, 'licenses.txt'), await licensesOf(root, inputs));
await writeFile(join(dist, 'sbom.cdx.json'), sbomOf(packagesOf(inputs)));
