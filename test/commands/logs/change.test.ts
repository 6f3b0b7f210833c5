import { expect, it } from 'vitest';
import { run } from '../../helpers/run.js';
import { clock, scene, turn } from './scene.js';

it.each([
  ['2', '1 turn', [3, 1]],
  ['c1', '2 turns', [3]],
  ['tax', '1 turn', [2, 1]],
  ['--before 3m', '1 turn', [3, 2]],
  ['--all', '3 turns', []],
])('svc logs delete deletes %s after a question', async (what, count, left) => {
  const { home, log } = scene();
  const ids = () => log.turns({}).map(({ id }) => id);
  const typed = [[`Delete ${count}? This cannot be undone.`, 'n\n']] as const;
  const refused = await run(`logs delete ${what}`, { home, clock, tty: true, typed });
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('error: nothing was deleted');
  const dry = await run(`logs delete ${what} --dry-run`, { home, clock });
  expect(dry).toMatchObject({ code: 0, stdout: '', stderr: `would delete ${count}\n` });
  expect(ids()).toEqual([3, 2, 1]);
  const done = await run(`logs delete ${what} --yes`, { home, clock });
  expect(done).toMatchObject({ code: 0, stdout: '', stderr: `deleted ${count}\n` });
  expect(ids()).toEqual(left);
});

it('svc logs delete takes only the turns of a program', async () => {
  const { home, log } = scene();
  log.add(turn('How is tea sold?', 'By weight.', { program: 'codex', atMs: 1 }));
  log.add(turn('And milk?', 'By volume.', { program: 'codex' }));
  const ids = () => log.turns({}).map(({ id }) => id);
  await run('logs delete --before 90d --program codex --yes', { home, clock });
  expect(ids()).toEqual([5, 3, 2, 1]);
  expect((await run('logs delete 5 --program codex --yes', { home, clock })).code).toBe(2);
  await run('logs delete --all --program codex --yes', { home, clock });
  expect(ids()).toEqual([3, 2, 1]);
});

it.each(['', '2 --all', '--all --before 2d', '99'])(
  'svc logs delete refuses "%s"',
  async (what) => {
    const { home, log } = scene();
    expect((await run(`logs delete ${what} --yes`, { home, clock })).code).toBe(2);
    expect(log.turns({})).toHaveLength(3);
  },
);

it('svc logs branch starts a conversation that continues from a turn, and names it', async () => {
  const { home, log } = scene();
  expect(await run('logs branch 1 milk', { home, clock })).toMatchObject({
    code: 0,
    stdout: 'milk\n',
    stderr: 'to continue it: svc chat --conversation milk\n',
  });
  expect(log.conversation('milk')).toMatchObject({ head: 1, turns: 0 });
  const { stdout } = await run('logs branch c1 --json', { home, clock });
  expect(JSON.parse(stdout)).toEqual({ id: 'c4', name: null, follows: 2 });
  const line = '--local chat -m local/echo --conversation milk --dry-run "and then?"';
  const { body } = JSON.parse((await run(line, { home })).stdout) as { body: object };
  expect(body).toMatchObject({ messages: [{}, { content: 'How is tea made?' }, {}, {}] });
});

it('svc logs rename names a conversation', async () => {
  const { home, log } = scene();
  const renamed = await run('logs rename c1 tea', { home });
  expect(renamed).toMatchObject({ code: 0, stdout: '', stderr: 'c1 is now tea\n' });
  expect(log.conversation('tea')?.id).toBe(1);
  const { stdout } = await run('logs rename tea t.2 --json', { home });
  expect(JSON.parse(stdout)).toEqual({ id: 'c1', name: 't.2' });
});

it.each(['tax', 'c7', ' 12 ', 'a\nb', 'a\u202eb', '-x', '@last', 'x'.repeat(65)])(
  'svc logs rename refuses the name %s',
  async (name) => {
    const { home, log } = scene();
    expect((await run(['logs', 'rename', 'c1', '--', name], { home })).code).toBe(2);
    expect((await run(['logs', 'branch', 'c1', '--', name], { home })).code).toBe(2);
    expect(log.conversations(9)).toHaveLength(2);
  },
);
