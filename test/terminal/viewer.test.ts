import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import { editorFrom, inlineImage, runEditor, showInViewer } from '../../src/terminal/viewer.js';
import { testFolder } from '../helpers/folder.js';

const png = Buffer.alloc(9000, 'picture');

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

describe('a picture in the terminal', () => {
  const draw = (env: Record<string, string | undefined>, type = 'image/png') =>
    inlineImage(env, png, type)?.toString('latin1');

  it.each(['iTerm.app', 'WezTerm'])('goes to %s in one sequence', (program) => {
    expect(draw({ TERM_PROGRAM: program })).toBe(
      `\u001b]1337;File=inline=1;height=16;size=9000:${png.toString('base64')}\u0007\n`,
    );
    expect(draw({ TERM_PROGRAM: program }, 'image/jpeg')).toBeDefined();
  });

  it.each([{ KITTY_WINDOW_ID: '1' }, { TERM: 'xterm-kitty' }, { TERM_PROGRAM: 'ghostty' }])(
    'goes to %j in pieces that join to the whole',
    (env) => {
      const pieces = Array.from(
        (draw(env) ?? '').matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g),
        ([, control = '', data = '']) => ({ control, data }),
      );
      expect(pieces.map(({ data }) => data).join('')).toBe(png.toString('base64'));
      expect(pieces.every(({ data }) => data.length <= 4096)).toBe(true);
      expect(pieces.map(({ control }) => control)).toEqual([
        'a=T,f=100,q=2,r=16,m=1',
        'm=1',
        'm=0',
      ]);
      expect(draw(env)?.endsWith('\n')).toBe(true);
    },
  );

  it.each([
    [{}, 'image/png'],
    [{ TERM_PROGRAM: 'iTerm.app', TMUX: 'x' }, 'image/png'],
    [{ TERM: 'xterm-kitty' }, 'image/jpeg'],
    [{ TERM_PROGRAM: 'iTerm.app' }, 'image/svg+xml'],
    [{ TERM_PROGRAM: 'iTerm.app' }, 'video/mp4'],
  ])('is not drawn in %j for %s', (env, type) => {
    expect(draw(env, type)).toBeUndefined();
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
