'use strict';
// Runs the code of dist/ and keeps what V8 compiled of it between starts, in the user's cache
// folder. Node's own module.enableCompileCache (from 22.1) gains less here and Node 20 has none,
// so one way serves all. Whatever goes wrong with the cache, svc runs without it.
const fs = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

/** Put in by the build: a hash of all that is in dist/. */
const buildId = 'BUILD_ID';
/** Put in by the build, so that a start need not read package.json. */
exports.version = 'VERSION';
/** The file of each chunk that is not in svc.cjs; put in by the build. */
const homes = JSON.parse('HOMES');
const modules = new Map();
const files = new Map();
/** The command's name: what it compiles is kept apart, or each would read the code of all. */
const purpose =
  /^[a-z]{1,20}$/.exec(process.argv.slice(2).find((word) => !word.startsWith('-')) ?? '')?.[0] ??
  'svc';

/** The exports of a chunk. */
exports.load = (name) => {
  const known = modules.get(name);
  if (known) return known.exports;
  const home = homes[name] ?? 'svc';
  const { chunks } = files.get(home) ?? open(home);
  const module = { exports: {} };
  modules.set(name, module);
  chunks[name](module, module.exports, requireFrom);
  return module.exports;
};

/** Chunks ask for each other by `./name`, and for everything else by its own name. */
function requireFrom(id) {
  return id.startsWith('./') ? exports.load(id.slice(2)) : require(id);
}

function open(name) {
  const filename = join(__dirname, `${name}.cjs`);
  const cache = readCache(`${name}-${purpose}`);
  const script = new Script(fs.readFileSync(filename, 'latin1'), {
    filename,
    cachedData: cache?.data,
  });
  const kept = script.cachedDataRejected ? undefined : cache?.chunks;
  const file = { script, kept, chunks: script.runInThisContext() };
  files.set(name, file);
  return file;
}

process.on('exit', () => {
  // Compiled code grows with what is used: it is kept again when this run loaded more.
  for (const [name, { script, kept, chunks }] of files) {
    const used = [...modules.keys()].filter((chunk) => chunk in chunks);
    if (kept && used.every((chunk) => kept.includes(chunk))) continue;
    const all = new Set([...(kept ?? []), ...used]);
    writeCache(`${name}-${purpose}`, [...all], script.createCachedData());
  }
});

/** Where compiled code is kept: beside what else can be made again (state/paths.ts). */
function cacheFolder() {
  const { env, platform, version, arch } = process;
  const home = env.HOME ?? env.USERPROFILE;
  const base = env.SVC_CONFIG_DIR
    ? join(env.SVC_CONFIG_DIR, 'cache')
    : env.XDG_CACHE_HOME
      ? join(env.XDG_CACHE_HOME, 'svc')
      : home && join(home, platform === 'darwin' ? 'Library/Caches/svc' : '.cache/svc');
  return base && join(base, `code-${buildId}-${version}-${arch}`);
}

/** A cache file: the length of its head, the head as JSON, V8's data. */
function readCache(name) {
  try {
    const fd = fs.openSync(join(cacheFolder(), name));
    try {
      const { uid, mode } = fs.fstatSync(fd);
      // Compiled code is run as it is: only one's own, that nobody else can write, is trusted.
      if (process.getuid && (uid !== process.getuid() || mode & 0o022)) return undefined;
      const bytes = fs.readFileSync(fd);
      const headEnd = 4 + bytes.readUInt32LE(0);
      const { chunks, sum, length } = JSON.parse(bytes.toString('latin1', 4, headEnd));
      const data = bytes.subarray(headEnd);
      return data.length === length && sampleSum(data) === sum ? { chunks, data } : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function writeCache(name, chunks, data) {
  try {
    const folder = cacheFolder();
    const head = JSON.stringify({ chunks, sum: sampleSum(data), length: data.length });
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A word of the command line is no promise of a command: the folder stays small.
    if (fs.readdirSync(folder).length > 100) return;
    const part = join(folder, `${name}.${process.pid}.part`);
    try {
      fs.writeFileSync(part, Buffer.concat([length, Buffer.from(head), data]), { mode: 0o600 });
      fs.renameSync(part, join(folder, name));
    } catch {
      fs.rmSync(part, { force: true });
    }
  } catch {
    // A read-only home, a full disk: the next start compiles again.
  }
}

/** V8 checks its own head; this notices a file that was cut or overwritten in places. */
function sampleSum(data) {
  const step = Math.max(4, Math.floor(data.length / 256) & ~3);
  let sum = 0;
  for (let at = 0; at + 4 <= data.length; at += step) sum = (sum + data.readUInt32LE(at)) | 0;
  return sum;
}
