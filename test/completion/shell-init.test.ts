/** Alt-e in real shells, in a pseudo-terminal. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import { isInstalled } from './shell.js';

/** Answers at once, or waits for Ctrl-C. Its command writes the words into a file. */
const standIn = `#!/bin/sh
case "$3" in
  *slow*)
    sleep 60 & trap 'kill $!; echo > ended; exit 130' INT
    echo 'svc waits' >&2
    wait ;;
  *) printf "printf %%s '%s' > ran\\n" "$3"; echo 'risk: changes files' >&2 ;;
esac
`;

const starts = {
  bash: ['rc', 'bash --noprofile --rcfile rc -i'],
  zsh: ['.zshrc', 'zsh -i'],
  fish: ['init.fish', `fish --no-config -C 'source init.fish'`],
} as const;

/** A shell with the script of `svc shell-init`, and a stand-in for svc. */
async function start(shell: keyof typeof starts) {
  const folder = testFolder();
  const [file, line] = starts[shell];
  const { stdout } = await run(['shell-init', shell]);
  const prompt = shell === 'fish' ? 'function fish_prompt; echo "ready> "; end' : "PS1='ready> '";
  writeFileSync(join(folder, file), `${stdout}\n${prompt}\n`);
  writeFileSync(join(folder, 'svc'), standIn, { mode: 0o755 });
  const path = [folder, process.env['PATH']].join(delimiter);
  const env = { PATH: path, HOME: folder, ZDOTDIR: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8' };
  const child = spawn('script', ['-qfec', `stty cols 100 rows 30; ${line}`, '/dev/null'], {
    cwd: folder,
    env,
  });
  onTestFinished(() => void child.kill());
  let screen = '';
  child.stdout.on('data', (data: Buffer) => (screen += data.toString()));
  const until = async (isTrue: () => boolean) =>
    vi.waitFor(() => expect(isTrue(), screen).toBe(true), { timeout: 20_000, interval: 20 });
  const at = (name: string) => join(folder, name);
  await until(() => screen.includes('ready> '));
  return {
    keys: (text: string) => child.stdin.write(text),
    shows: (words: string) => until(() => screen.includes(words)),
    exists: (name: string) => until(() => existsSync(at(name))),
    isThere: (name: string) => existsSync(at(name)),
    text: (name: string) => readFileSync(at(name), 'utf8'),
  };
}

describe.each(['bash', 'zsh', 'fish'] as const)('Alt-e in %s', (shell) => {
  const inShell = test.skipIf(!isInstalled(shell));

  inShell('replaces the words by the command, which is not run', async () => {
    const { keys, shows, exists, isThere, text } = await start(shell);
    // On an empty line, nothing happens.
    keys('\u001befind the "largest" $files\u001be');
    await shows('risk: changes files');
    expect(isThere('ran')).toBe(false);
    keys('\r');
    await exists('ran');
    await vi.waitFor(() => expect(text('ran')).toBe('find the "largest" $files'));
  });

  inShell('keeps the line when Ctrl-C ends the wait', async () => {
    const { keys, shows, exists } = await start(shell);
    keys('echo > kept; : slow\u001be');
    await shows('svc waits');
    keys('\u0003');
    await exists('ended');
    keys('\r');
    await exists('kept');
  });
});
