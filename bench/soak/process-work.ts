import { once } from 'node:events';
import { writeSync } from 'node:fs';

/** Says a line at once, whole or not at all when the process is killed. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Runs what a process of a test does: it says `open`, and works once it is told to. */
export function workOnSignal<Opened>(open: () => Opened, work: (opened: Opened) => unknown): void {
  const run = async () => {
    const opened = open();
    say('open');
    await once(process.stdin, 'data');
    await work(opened);
    process.stdin.destroy();
  };
  run().catch((error: unknown) => {
    writeSync(2, error instanceof Error ? `${error.name}: ${error.message}\n` : String(error));
    process.exitCode = 1;
  });
}
