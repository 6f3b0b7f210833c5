/** Speech that is heard and seen: --play, and the waveform on a terminal. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';

const waveform = /h[▁▂▃▄▅▆▇█]{60} 0:01\n\d s · /;

/** `svc --local speak` to a file, with an mpv that is this script. */
function scene(script?: string) {
  const [home, folder] = [testFolder(), testFolder()];
  const at = (name: string) => join(folder, name);
  if (script !== undefined) {
    writeFileSync(at('mpv'), `#!/bin/sh\n${script}\n`);
    chmodSync(at('mpv'), 0o755);
  }
  const env = { PATH: folder };
  const speak = (more = '', options: RunOptions = {}, name = 'hi.wav') => {
    const line = `--local speak "hello there" -o ${at(name)} ${more}`;
    return run(line, { home, env, tty: { stdin: true }, ...options });
  };
  return { at, speak };
}

describe.skipIf(process.platform === 'win32')('svc speak --play', () => {
  it('plays the complete file, in a pipe too, and prints its path', async () => {
    const { at, speak } = scene('printf "%s " "$@" > "${0%mpv}played"; test -s "$3"');
    expect(await speak('--play')).toMatchObject({
      code: 0,
      stdout: `${at('hi.wav')}\n`,
      stderr: '',
    });
    expect(readFileSync(at('played'), 'utf8')).toBe(`--no-video --really-quiet ${at('hi.wav')} `);
    expect(await speak('--play --json --force')).toMatchObject({ code: 0 });
  });

  it.each([
    ['exit 2', 'error: mpv ended with 2\nhint: the file is kept: '],
    [undefined, 'error: no audio player is installed\nhint: install mpv or ffmpeg, then play '],
  ])('with a player that does %j ends with 11 and keeps the file', async (script, words) => {
    const { at, speak } = scene(script);
    expect(await speak('--play')).toMatchObject({ code: 11, stderr: `${words}${at('hi.wav')}\n` });
    expect(existsSync(at('hi.wav'))).toBe(true);
  });

  it('stops the player on Ctrl-C, and the speech is not made again', async () => {
    const { at, speak } = scene('echo $$ > "${0%mpv}pid"; exec /bin/sleep 60');
    const interrupt = new AbortController();
    const playing = speak('--play', { signal: interrupt.signal });
    await vi.waitFor(() => expect(readFileSync(at('pid'), 'utf8')).toMatch(/\n/), 20_000);
    interrupt.abort(new Interrupted('SIGINT'));
    expect(await playing).toMatchObject({ code: 130, stdout: `${at('hi.wav')}\n` });
    const pid = Number(readFileSync(at('pid'), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});

it.each(['hi.mp3', 'hi.wav'])(
  'the waveform of %s is on the terminal with its length',
  async (name) => {
    const { at, speak } = scene();
    const shown = await speak('', { tty: true }, name);
    expect(shown.stdout).toBe(`${at(name)}\n`);
    expect(shown.stderr).toMatch(waveform);
  },
);

it.each([
  ['-q', true],
  ['--json', true],
  ['', false],
])('the waveform is not there with %j, or off a terminal', async (more, tty) => {
  expect((await scene().speak(more, { tty })).stderr).not.toMatch(/[▁▂▃▄▅▆▇█]{3}/);
});
