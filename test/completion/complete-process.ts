/** `svc __complete` with odd declarations beside the real ones. */
import { entries } from '../../src/commands/index.js';
import { candidates } from '../../src/cli/candidates.js';
import { lookUpOdd, oddEntries } from './odd-declarations.js';

const words = process.argv.slice(process.argv.indexOf('--') + 1);
void candidates(words, [...entries, ...oddEntries], lookUpOdd).then((text) =>
  process.stdout.write(text),
);
