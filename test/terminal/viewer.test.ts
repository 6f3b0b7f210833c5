import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import { editorFrom, runEditor, showInViewer } from '../../src/terminal/viewer.js';
import { testFolder } from '../helpers/folder.js';

/** A program of a few lines of shell, in a folder of its own. */
function program(name: string, script: string) {
  const folder = testFolder();
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { folder, command: join(folder, name) };
}

describe('the viewer of the system', () => {
  it.skipIf(process.platform === 'win32').each([
    ['linux', 'xdg-open'],
    ['darwin', 'open'],
  ] as const)('on %s is %s, with the path as its one argument', async (platform, command) => {
    const shown = join(testFolder(), 'shown');
    const { folder } = program(command, `printf '%s|' "$@" > '${shown}'`);
    const path = '/x/-a "b" $(c).png';
    expect(await showInViewer(path, { PATH: `${folder}:/usr/bin:/bin` }, platform)).toBeUndefined();
    await vi.waitFor(() => {
      expect(existsSync(shown) && readFileSync(shown, 'utf8')).toBe(`${path}|`);
    });
  });
});

describe('the editor', () => {
  /** Edits a file by a script. */
  async function edit(script: string, options = '', name = 'text.txt') {
    const { folder, command } = program('editor', script);
    const path = join(folder, name);
    const env = { PATH: process.env['PATH'], WORD: 'after' };
    const { signal } = new AbortController();
    const failure = await runEditor({ command: command + options, path, env, signal });
    return { failure, path };
  }

  test.each([
    [{ VISUAL: 'code --wait', EDITOR: 'vi' }, 'code --wait'],
    [{ VISUAL: '', EDITOR: 'vi' }, 'vi'],
    [{}, undefined],
  ])('of %j is %s', (env, command) => {
    expect(editorFrom(env)).toBe(command);
  });

  test('gets its own words and the file, whatever the file is called', async () => {
    const script = 'test "$1" = --wait && test $# = 2 && printf %s "$WORD" > "$2"';
    const { failure, path } = await edit(script, ' --wait', `it's "$(echo odd)"; a b.txt`);
    expect(failure).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('after');
  });

  test.each([
    ['exit 7', 'ended with 7'],
    ['kill -9 $$', 'was ended by SIGKILL'],
  ])('that does %s %s', async (script, failure) => {
    // The shell around it passes on what became of it.
    expect([failure, 'ended with 137']).toContain((await edit(script)).failure);
  });
});
