import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { bash, start } from './svc.js';

/** A folder with a list of two lines. */
function listed() {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'list'), 'red\nblue\n');
  return { cwd };
}

describe('a list that a shell loop reads', () => {
  it('is left to the loop: one picture and one answer for each line', async () => {
    const line = `while read -r l; do
      svc --local -q generate local/canvas "$l" --opt quality=draft -o "$l.png" && svc --local chat "$l" --json | grep -c text
    done <list; ls *.png`;
    const { stdout, stderr } = await bash(line, listed());
    expect(stdout.match(/\S+\.png$/gm)?.slice(-2)).toEqual(['blue.png', 'red.png']);
    // Of the first answer: after the last line nothing is left.
    expect(stderr.match(/stdin was not read: another program reads this file/g)).toHaveLength(1);
  });

  it('is read by chat where - asks for it, and where it is whole', async () => {
    const asked = '{ read -r l; svc --local --dry-run chat "$l" -; } <list';
    expect((await bash(asked, listed())).stdout).toContain('blue\\n\\nred');
    const whole = await bash('svc --local chat hi <list', listed());
    expect(whole.stderr).toContain('read 9 B from stdin\n');
  });
});

it('runs without the end of stdin where nobody can be asked', async () => {
  for (const words of [
    ['--local', '--no-input', 'chat', 'hi'],
    ['--local', 'speak', 'hi', '--json'],
  ]) {
    const { ended } = await start(words);
    expect(await ended, words.join(' ')).toMatchObject({ code: 0 });
  }
  const { ended } = await start(['--local', 'chat', 'hi'], { env: { CLAUDECODE: '1' } });
  expect((await ended).stderr).toContain('stdin was not read: nothing came in 1 s');
});
