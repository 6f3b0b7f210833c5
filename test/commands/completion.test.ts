import { expect, test } from 'vitest';
import { entries } from '../../src/commands/index.js';
import { completionScript } from '../../src/completion/script.js';
import { shells } from '../../src/completion/shells.js';
import { run } from '../helpers/run.js';

const localModels = ['guide', 'echo', 'script', 'embed', 'decide'].map((name) => `local/${name}`);

test.each(shells)('svc completion %s prints the script and nothing else', async (shell) => {
  const { stdout, stderr, code } = await run(`completion ${shell}`);
  expect(stdout).toBe(completionScript(shell, entries, localModels));
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('another shell is refused, naming those there are', async () => {
  const { stdout, stderr, code } = await run('completion tcsh');
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr).toContain('bash, zsh, fish, powershell');
});

test('its help tells how to install it in each shell', async () => {
  const { stdout } = await run('completion --help');
  for (const file of ['~/.bashrc', '~/.zshrc', '~/.config/fish/completions/svc.fish', '$PROFILE']) {
    expect(stdout).toContain(file);
  }
});
