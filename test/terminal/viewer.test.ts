import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import { editorFrom, runEditor, showInViewer } from '../../src/terminal/viewer.js';
import { testFolder } from '../helpers/folder.js';

describe('the viewer of the system', () => {
  it.skipIf(process.platform === 'win32').each([
    ['linux', 'xdg-open'],
    ['darwin', 'open'],
  ] as const)('on %s is %s, with the path as its one argument', async (platform, command) => {
    const folder = testFolder();
    const shown = join(folder, 'shown');
    writeFileSync(join(folder, command), `#!/bin/sh\nprintf '%s|' "$@" > '${shown}'\n`);
    chmodSync(join(folder, command), 0o755);
    const path = '/x/-a "b" $(c).png';
    expect(await showInViewer(path, { PATH: `${folder}:/usr/bin:/bin` }, platform)).toBeUndefined();
    await vi.waitFor(() => {
      expect(existsSync(shown) && readFileSync(shown, 'utf8')).toBe(`${path}|`);
    });
  });

  it('that is missing is reported, and nothing more', async () => {
    const words = await showInViewer('/a.png', { PATH: testFolder() }, 'linux');
    expect(words).toMatch(/^xdg-open could not show the file: spawn xdg-open ENOENT/);
  });
});

/** An editor of a few lines of shell, and a file for it. */
function editing(script: string, name = 'text.txt') {
  const folder = testFolder();
  const command = join(folder, 'editor');
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o700);
  const path = join(folder, name);
  writeFileSync(path, 'before');
  const abort = new AbortController();
  const env = { PATH: process.env['PATH'], WORD: 'after' };
  const edit = (words = '') =>
    runEditor({ command: command + words, path, env, signal: abort.signal });
  return { path, abort, edit };
}

describe('the editor', () => {
  test.each([
    [{ VISUAL: 'code --wait', EDITOR: 'vi' }, 'code --wait'],
    [{ VISUAL: '', EDITOR: 'vi' }, 'vi'],
    [{}, undefined],
  ])('of %j is %s', (env, command) => {
    expect(editorFrom(env)).toBe(command);
  });

  test('gets its own words and the file, whatever the file is called', async () => {
    const script = 'test "$1" = --wait && test $# = 2 && printf %s "$WORD" > "$2"';
    const { path, edit } = editing(script, `it's "$(echo odd)"; a b.txt`);
    expect(await edit(' --wait')).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('after');
  });

  test.each([
    ['exit 7', 'ended with 7'],
    ['kill -9 $$', 'was ended by SIGKILL'],
  ])('that does %s %s', async (script, failure) => {
    // The shell around it passes on what became of it.
    const reported = await editing(script).edit();
    expect([failure, 'ended with 137']).toContain(reported);
  });
});
