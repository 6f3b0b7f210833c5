import { CommanderError } from 'commander';
import { buildProgram } from '../../src/cli/program.js';
import { entries } from '../../src/commands/index.js';

/** What the real parser says against words after `svc`: a machine word, or undefined if nothing. */
export async function usageError(words: readonly string[]): Promise<string | undefined> {
  const program = buildProgram(entries, {
    version: '0.0.0',
    columns: () => 80,
    writeOut: () => undefined,
    writeErr: () => undefined,
    onInvocation: () => Promise.resolve(),
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : `${error.code}: ${error.message}`;
  }
}
