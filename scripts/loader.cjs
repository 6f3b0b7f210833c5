'use strict';
// Runs the code of dist/ and keeps what V8 compiled of it between starts, in the user's cache
// folder. Node's own module.enableCompileCache (from 22.1) gains less here and Node 20 has none,
// so one way serves all. Whatever goes wrong with the cache, svc runs without it.
const fs = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

/** Put in by the build: a hash of all that is in dist/. */
const buildId = 'BUILD_ID';
/** Put in by the build, so that a start need not read package.json. */
exports.version = 'VERSION';
/** The file of each chunk that is not in svc.cjs; put in by the build. */
const homes = JSON.parse('HOMES');
/** src/state/places.json, put in by the build. */
const places = JSON.parse('PLACES');
const modules = new Map();
/** Files are read into the same memory: new pages of it take longer than reading. */
const room = Buffer.allocUnsafeSlow(1 << 20);
const piece = Buffer.allocUnsafeSlow(1 << 16);
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
  chunks[name](module, module.exports, requireFrom, __dirname);
  return module.exports;
};

/** Chunks ask for each other by `./name`, and for everything else by its own name. */
function requireFrom(id) {
  return id.startsWith('./') ? exports.load(id.slice(2)) : require(id);
}

function open(name) {
  const filename = join(__dirname, `${name}.cjs`);
  const source = readSource(filename);
  const cache = readCache(`${name}-${purpose}`);
  const script = new Script(source, { filename, cachedData: cache?.data });
  const kept = script.cachedDataRejected ? undefined : cache?.chunks;
  const file = { script, kept, chunks: script.runInThisContext() };
  files.set(name, file);
  return file;
}

/** The code as it is in the file: ASCII. */
function readSource(filename) {
  const fd = fs.openSync(filename);
  try {
    return readInto(room, fd, fs.fstatSync(fd).size).latin1Slice();
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads on in a file, to its end at most. */
function readInto(memory, fd, length) {
  const bytes = length > memory.length ? Buffer.allocUnsafeSlow(length) : memory;
  let size = 0;
  for (let read = 1; read > 0 && size < length; size += read) {
    read = fs.readSync(fd, bytes, size, length - size, null);
  }
  return bytes.subarray(0, size);
}

process.on('exit', () => {
  // Compiled code grows with what is used: it is kept again when this run loaded more.
  for (const [name, { script, kept, chunks }] of files) {
    const used = [...modules.keys()].filter((chunk) => chunk in chunks);
    if (kept && used.every((chunk) => kept.includes(chunk))) continue;
    const all = new Set([...(kept ?? []), ...used]);
    writeCache(`${name}-${purpose}`, [...all], script);
  }
});

/** The folder of svc for `config` or `cache`, as state/paths.ts has it; undefined where there is none. */
exports.folderOf = (name) => {
  const { HOME, SVC_CONFIG_DIR: chosen, USERPROFILE } = process.env;
  if (chosen) return name === 'config' ? chosen : join(chosen, name);
  const [variable, usual, own] = (places[process.platform] ?? places.usual)[name];
  const home = HOME || USERPROFILE;
  const root = process.env[variable] || (home && join(home, usual));
  return root && join(root, own);
};

function cacheFolder() {
  const base = exports.folderOf('cache');
  // No code from below the working folder: it may be a clone of somebody else's.
  if (!base || !isAbsolute(base)) throw new Error('there is no place for a cache');
  return join(base, `code-${buildId}-${process.version}-${process.arch}`);
}

/**
 * A cache file: the length of its head, the head as JSON, V8's data twice. V8 takes the data as it
 * is, and a few changed bytes would crash every start; comparing two copies takes a tenth of the
 * time of a checksum.
 */
function readCache(name) {
  try {
    // Whatever stands there under that name, opening it must not wait.
    const { O_RDONLY, O_NONBLOCK = 0 } = fs.constants;
    const fd = fs.openSync(join(cacheFolder(), name), O_RDONLY | O_NONBLOCK);
    try {
      const { uid, mode, size } = fs.fstatSync(fd);
      // Compiled code is run as it is: only one's own, that nobody else can write, is trusted.
      if (process.getuid && (uid !== process.getuid() || mode & 0o022)) return undefined;
      const headSize = readInto(piece, fd, 4).readUInt32LE();
      const dataSize = (size - 4 - headSize) / 2;
      if (!Number.isInteger(dataSize) || dataSize <= 0) return undefined;
      const { chunks } = JSON.parse(readInto(room, fd, headSize).latin1Slice());
      const data = readInto(room, fd, dataSize);
      for (let at = 0; at < dataSize; at += piece.length) {
        const second = readInto(piece, fd, Math.min(piece.length, dataSize - at));
        if (!second.equals(data.subarray(at, at + piece.length))) return undefined;
      }
      return Array.isArray(chunks) ? { chunks, data } : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function writeCache(name, chunks, script) {
  const { setFlagsFromString } = require('node:v8');
  try {
    const folder = cacheFolder();
    makeFolder(folder);
    // Not every word of a command line is a command: the folder stays small.
    if (fs.readdirSync(folder).length > 100) return;
    const part = join(folder, `${name}.${process.pid}.part`);
    try {
      // V8 refuses what was compiled with other flags than those of a start; commands set these.
      setFlagsFromString('--semi-space-growth-factor=2');
      setFlagsFromString('--heap-growing-percent=0');
      setFlagsFromString('--no-liftoff-only');
      fs.writeFileSync(part, cacheBytes(chunks, script.createCachedData()), { mode: 0o600 });
      fs.renameSync(part, join(folder, name));
    } catch {
      fs.rmSync(part, { force: true });
    }
  } catch {
    // A read-only home, a full disk: the next start compiles again.
  }
}

function cacheBytes(chunks, data) {
  const head = JSON.stringify({ chunks });
  const length = Buffer.alloc(4);
  // V8 would copy data that does not begin at a multiple of eight.
  length.writeUInt32LE(((head.length + 11) & ~7) - 4);
  return Buffer.concat([length, Buffer.from(head.padEnd(length.readUInt32LE())), data, data]);
}

/** Node's own recursive way never ends where a folder can be neither found nor made, as in /proc. */
function makeFolder(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch ({ code }) {
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw new Error(code);
    makeFolder(dirname(folder));
    fs.mkdirSync(folder, { mode: 0o700 });
  }
}
