/**
 * A process that writes the config file over and over: folder, name, number of writes.
 * It says each write on stdout once it is done, and a failure on stderr.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../src/lib/clock.js';
import { updateConfig } from '../../src/state/config-write.js';
import { pathsFrom } from '../../src/state/paths.js';

const [folder = '', name = '', writes = '0'] = process.argv.slice(2);

async function writeAll(): Promise<void> {
  const paths = pathsFrom({ SVC_CONFIG_DIR: folder });
  for (let index = 0; index < Number(writes); index++) {
    const profile = `${name}-${String(index)}`;
    // A busy machine may keep the last of eight waiting for long; losing a write is the fault.
    await updateConfig(paths, { clock: systemClock, patienceMs: 110_000 }, (config) => {
      config.profiles = { ...config.profiles, [profile]: { model: profile } };
    });
    writeSync(1, `${profile}\n`);
  }
}

writeAll().catch((error: unknown) => {
  const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
  writeSync(2, `${kind}: ${message}\n`);
  process.exitCode = 1;
});
