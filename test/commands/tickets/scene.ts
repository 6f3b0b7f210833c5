/** svc tickets against a service that a test can bend. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../../helpers/folder.js';

export const images = {
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]),
  gif: Buffer.from('R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
  webp: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
} as const;

/** What makes svc open an editor that puts this in the place of what is there, and ends like this. */
export function editorThatWrites(text: string, code = 0): { readonly VISUAL: string } {
  const folder = testFolder();
  const [content, script] = [join(folder, 'content'), join(folder, 'editor')];
  writeFileSync(content, text);
  writeFileSync(script, `#!/bin/sh\ncat '${content}' > "$1"\nexit ${String(code)}\n`);
  chmodSync(script, 0o700);
  return { VISUAL: script };
}
