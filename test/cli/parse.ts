/** Command lines, parsed as svc does. */
import { CommanderError } from 'commander';
import type { Entry } from '../../src/cli/declaration.js';
import { buildProgram, type Invocation } from '../../src/cli/program.js';

/** What a command line asks for, or the words in which it is refused. */
export async function parse(
  argv: readonly string[],
  declared: readonly Entry[],
): Promise<{ asked?: Invocation; refusal?: string; code?: string }> {
  let asked: Invocation | undefined;
  const program = buildProgram(declared, {
    version: '1.2.3',
    columns: () => 100,
    writeOut: () => undefined,
    writeErr: () => undefined,
    onInvocation: (invocation) => {
      asked = invocation;
    },
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? {} : { refusal: error.message, code: error.code };
  }
  return { asked };
}
