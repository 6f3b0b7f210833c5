import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from './folder.js';

/** What makes local/script answer by these rules for the length of a test. */
export function localScript(...rules: object[]): { readonly SVC_LOCAL_SCRIPT: string } {
  const path = join(testFolder(), 'script.json');
  writeFileSync(path, JSON.stringify({ rules }));
  return { SVC_LOCAL_SCRIPT: path };
}
