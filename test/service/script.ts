import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../../src/service/service.js';
import { testFolder } from '../helpers/folder.js';
import { FakeClock, openService } from './helpers.js';

/** A service whose local/script answers by these rules; `rewrite` changes the file. */
export function scripted(rules: readonly object[]): {
  service: Service;
  clock: FakeClock;
  rewrite: (next: readonly object[]) => void;
} {
  const path = join(testFolder(), 'script.json');
  const rewrite = (next: readonly object[]) => writeFileSync(path, JSON.stringify({ rules: next }));
  rewrite(rules);
  const clock = new FakeClock();
  return { service: openService({ scriptPath: path, clock }), clock, rewrite };
}
