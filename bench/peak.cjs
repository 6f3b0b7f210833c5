// Loaded before a program: when it ends, says its most memory in KiB on stderr, where the system tells.
'use strict';
const { readFileSync } = require('node:fs');

process.on('exit', () => {
  if (process.platform !== 'linux') return;
  const status = readFileSync('/proc/self/status', 'latin1');
  process.stderr.write(`peak: ${/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? ''}\n`);
});
