/** Where a single binary starts; the version is put in by the release. */
import { writeSync } from 'node:fs';

declare const SVC_VERSION: string;

if (!isVersionWritten()) {
  const { runProcess } = await import('../../src/cli/process.js');
  await runProcess(SVC_VERSION);
}

/** The version loads nothing of svc; a full disk or a reader that is gone takes the long way. */
function isVersionWritten(): boolean {
  const [, , word = '', ...others] = process.argv;
  if (!/^(?:--version|-V)$/.test(word) || others.length > 0) return false;
  const line = `${SVC_VERSION}\n`;
  try {
    return writeSync(1, line) === line.length;
  } catch {
    return false;
  }
}
