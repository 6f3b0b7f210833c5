import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fails, jsonOf, run } from '../../helpers/run.js';
import { clock, message, scene, turn } from './scene.js';

const second = [
  '## System prompt\n\nBe brief.',
  '## Question\n\nAnd\nmilk?',
  '## vendor/one\n\nAfter\u001b[31m it.',
  '*c1, turn 2 · 2026-11-04T11:58:00.000Z · 1000 in, 200 out tokens · 1.2 s*\n',
].join('\n\n');

const whole = [
  '## System prompt\n\nBe brief.',
  '## Question\n\nHow is tea made?',
  '## vendor/one\n\n**Hot** water',
  '*c1, turn 1 · 2026-11-04T11:55:00.000Z · 1000 in, 200 out tokens · 0.50 RUB · 1.2 s*',
  ...second.split('\n\n').slice(2),
].join('\n\n');

it('svc logs show shows a turn, or a whole conversation, in three forms', async () => {
  const { home } = scene();
  expect(await run('logs show 2', { home, clock })).toMatchObject({ code: 0, stdout: second });
  expect((await run('logs show c1', { home, clock })).stdout).toBe(whole);
  const shown = await run('logs show 2', { home, clock, tty: true, colour: true });
  expect(shown.stdout).toContain('After␛[31m it.');
  expect(shown.stdout).toMatch(/\u001b\[1m.*vendor\/one/);
  const one = await run('logs show 2 --json', { home, clock });
  const messages = [message('user', 'And\nmilk?'), message('assistant', 'After\u001b[31m it.')];
  expect(JSON.parse(one.stdout)).toMatchObject({ id: 2, conversation: 'c1', messages });
  const all = await run('logs show c1 --json', { home, clock });
  expect(JSON.parse(all.stdout)).toMatchObject([{ id: 1 }, { id: 2, messages }]);
});

it('svc logs show prints the request of a turn again, whatever service is in use now', async () => {
  const { home } = scene();
  const { stdout } = await run('logs show 2 --dry-run', { home });
  expect(JSON.parse(stdout)).toMatchObject({
    method: 'POST',
    url: 'https://x.test/v1/chat/completions',
    headers: { authorization: 'Bearer [key]' },
    body: {
      model: 'vendor/one',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'How is tea made?' },
        { role: 'assistant', content: '**Hot** water\n' },
        { role: 'user', content: 'And\nmilk?' },
      ],
      stream: true,
      temperature: 0.5,
    },
  });
  const curl = await run('logs show 2 --curl', { home });
  expect(curl.stdout).toMatch(/^curl -sS -X POST 'https:\/\/x\.test\/v1\/chat\/completions' /);
  expect(curl.stdout).toContain(`-H 'authorization: Bearer '"$SVC_API_KEY"`);
});

it('svc logs show names what else a message contains', async () => {
  const { home, log } = scene();
  const parts = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'tool_call', id: 'call_1', name: 'brew', arguments: '{}' },
  ];
  const asked = [{ role: 'user', parts: [{ type: 'image', path: '/tmp/tea.png', hash: 'h' }] }];
  const isComplete = false;
  log.add(turn('', '', { asked, answered: { role: 'assistant', parts }, isComplete }));
  const { stdout } = await run('logs show 4', { home, clock });
  expect(stdout).toContain('## Question\n\n[image: /tmp/tea.png]\n\n## vendor/one\n\n~~~~json\n');
  expect(stdout).toContain('"name":"brew"');
  expect(stdout).toMatch(/ · incomplete\*\n$/);
  expect(stdout).not.toContain('Hm.');
});

it('svc logs export writes Markdown for people, and JSON for chat --history', async () => {
  const { home } = scene();
  const path = join(home, 'tea.md');
  const saved = await run(['logs', 'export', 'c1', '-o', path], { home });
  expect(saved).toEqual(expect.objectContaining({ code: 0, stderr: `wrote ${path}\n` }));
  expect(readFileSync(path, 'utf8')).toBe(whole);
  expect((await run(['logs', 'export', 'c1', '-o', path], { home })).code).toBe(11);
  const { stdout } = await run('logs export 2 --format json', { home });
  expect((await run('logs export 2 --json', { home })).stdout).toBe(stdout);
  const line = '--local chat -m local/echo --history - --dry-run more';
  expect(await jsonOf(run(line, { home, stdin: stdout }))).toMatchObject({
    body: { messages: [{ role: 'system' }, {}, {}, {}, {}, { role: 'user', content: 'more' }] },
  });
});

it('svc logs export --all has every conversation, and @last the newest turn', async () => {
  const { home } = scene();
  const one = async (id: string) => (await run(`logs export ${id}`, { home })).stdout;
  const { stdout } = await run('logs export --all', { home });
  expect(stdout).toBe(`# tax\n\n${await one('tax')}\n# c1\n\n${await one('c1')}`);
  expect(await one('@last')).toBe(await one('tax'));
  expect(JSON.parse((await run('logs export --all --json', { home })).stdout)).toMatchObject([
    { conversation: 'tax', system: 'Be brief.', messages: [{ role: 'user' }, {}] },
    { conversation: 'c1' },
  ]);
  for (const line of ['logs export', 'logs export 1 --all']) {
    expect(await run(line, { home })).toMatchObject(fails(2, 'give an id or --all'));
  }
});

it('svc logs export refuses what the log does not contain', async () => {
  const { home, log } = scene();
  log.add(turn('failed', '', { answered: undefined }));
  for (const [id, why] of [
    ['99', 'the log does not contain "99"'],
    ['c3', 'c3 contains no answered turns'],
  ]) {
    const { stderr, code } = await run(`logs export ${id}`, { home });
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${why}`]);
  }
});
