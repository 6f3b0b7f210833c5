#!/usr/bin/env node
'use strict';
// CommonJS on purpose: loading an ES module as the entry costs 2.5 to 5 ms of a start.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`svc needs Node 20.19 or newer; this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else if (!answerAtOnce(process.argv)) {
  const { load, version } = require('../dist/loader.cjs');
  load('process').runProcess(version);
}

/** The version and the general help need nothing of svc; anything unusual takes the long way. */
function answerAtOnce(argv) {
  if (argv.length > 3) return false;
  const word = argv[2];
  const { readFileSync, writeSync } = require('node:fs');
  const text =
    word === '--version' || word === '-V'
      ? () => Buffer.from(`${require('../package.json').version}\n`)
      : word === undefined || word === '--help' || word === '-h'
        ? () => readFileSync(`${__dirname}/../dist/help.txt`)
        : undefined;
  if (!text) return false;
  try {
    const bytes = text();
    // A disk that fills up takes a part without a word.
    return writeSync(1, bytes) === bytes.length;
  } catch {
    return false;
  }
}
