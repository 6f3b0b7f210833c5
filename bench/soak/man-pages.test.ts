import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manPages } from '../../scripts/release/man.js';
import { command } from '../../src/command.js';
import { testFolder } from '../../test/helpers/folder.js';
import { renderMan } from './print.js';

test('man pages show what roff would read as a request or an escape', () => {
  const odd = ".TH \"x\" \\fB\\n(.x 'a' `b\` --c ^~ é…\n.so /etc/passwd\n'br";
  const declared = command('odd', 'odd', {
    heading: 'Tools',
    description: odd,
    examples: [`.odd \\ '$x' # note`],
    load: () => Promise.reject(new Error('not run')),
  });
  const release = { version: '1', date: '2026-01-31', summary: 'x', description: 'X.' };
  const folder = testFolder();
  writeFileSync(join(folder, 'odd.1'), manPages(release, [declared])['svc-odd.1'] ?? '');
  const text = renderMan(folder, 'odd');
  expect(text).toContain(`.TH "x" \\fB\\n(.x 'a' b --c ^~ é… .so /etc/passwd 'br\n`);
  expect(text).toContain(`           .odd \\ '$x'\n`);
});
