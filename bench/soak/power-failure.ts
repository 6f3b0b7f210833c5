/** A power failure: of the files of a process that was killed, only what it had synced stays. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../../test/helpers/folder.js';

/** Options of a process, and what a power failure then leaves of the files in a folder. */
export function powerFailure() {
  const notes = testFolder();
  /** Undefined for what was never synced. */
  const noteOn = (path: string) => {
    const { birthtimeMs, ino } = statSync(path);
    const note = join(notes, `${ino}-${birthtimeMs}`);
    return existsSync(note) ? readFileSync(note, 'utf8') : undefined;
  };
  const fail = (folder: string): void => {
    const names = noteOn(folder)?.split('\n') ?? [];
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (!names.includes(name)) rmSync(path, { recursive: true });
      else if (statSync(path).isDirectory()) fail(path);
      else truncateSync(path, Math.min(statSync(path).size, Number(noteOn(path) ?? 0)));
    }
  };
  return {
    nodeFlags: ['--import', join(import.meta.dirname, 'notes-syncs.mjs')],
    env: { SYNC_NOTES: notes },
    fail,
  };
}
