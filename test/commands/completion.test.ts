import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { run } from '../helpers/run.js';

test.each([
  ['bash', 'svc.bash'],
  ['zsh', '_svc'],
  ['fish', 'svc.fish'],
  ['powershell', 'svc.ps1'],
])('svc completion %s prints the script and nothing else', async (shell, file) => {
  const { stdout, stderr, code } = await run(`completion ${shell}`);
  expect(stdout).toBe(readFileSync(`${import.meta.dirname}/../../completions/${file}`, 'utf8'));
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
