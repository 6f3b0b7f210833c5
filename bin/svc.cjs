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

/** The version and the general help load nothing of svc; anything unusual takes the long way. */
function answerAtOnce(argv) {
  if (argv.length > 3) return false;
  const word = argv[2];
  const isVersion = word === '--version' || word === '-V';
  if (!isVersion && word !== undefined && word !== '--help' && word !== '-h') return false;
  const { fstatSync, readFileSync, writeSync } = require('node:fs');
  try {
    // Opening a terminal takes 3 ms; a pipe or a file is not opened.
    const isTerminal = !isVersion && fstatSync(1).isCharacterDevice() && process.stdout.isTTY;
    const bytes = isVersion
      ? Buffer.from(`${require('../package.json').version}\n`)
      : readFileSync(`${__dirname}/../dist/${helpFor(isTerminal ? process.stdout : undefined)}`);
    // A full disk accepts only a part, without an error.
    return writeSync(1, bytes) === bytes.length;
  } catch {
    return false;
  }
}

/** The help that the build rendered for 80 columns in English. */
function helpFor(terminal) {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (FORCE_COLOR || hasLanguage() || (terminal && terminal.columns < 80))
    throw new Error('render it');
  if (!terminal || NO_COLOR || TERM === 'dumb') return 'help.txt';
  if (require('../dist/agents.json').some((name) => process.env[name]))
    throw new Error('render it');
  return 'help-styled.txt';
}

/** Whether a language may be chosen: by a variable, or in the config file. */
function hasLanguage() {
  const { LANG, LC_ALL, LC_MESSAGES, SVC_LANG } = process.env;
  if (SVC_LANG || /^ru/i.test(LC_ALL || LC_MESSAGES || LANG || '')) return true;
  const config = `${require('../dist/loader.cjs').folderOf('config')}/config.json`;
  try {
    return require('node:fs').readFileSync(config, 'utf8').includes('"language"');
  } catch {
    return false;
  }
}
