import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from './folder.js';

/** A config folder of the running test's own that holds this config. */
export function homeWith(config: unknown): string {
  const home = testFolder();
  writeFileSync(
    join(home, 'config.json'),
    typeof config === 'string' ? config : JSON.stringify(config),
  );
  return home;
}

/** What the config file of a folder holds now. */
export function configIn(home: string): unknown {
  return JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'));
}
