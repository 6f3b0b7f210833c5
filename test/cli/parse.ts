/** Command lines, parsed as svc does. */
import type { Entry } from '../../src/cli/declaration.js';
import { parseLine } from '../../src/cli/program.js';
import { meantBy } from '../../src/cli/route.js';

/** What a command line asks for, or the sentence in which it is refused. */
export function parse(argv: readonly string[], declared: readonly Entry[]) {
  return parseLine(meantBy(argv), declared);
}
