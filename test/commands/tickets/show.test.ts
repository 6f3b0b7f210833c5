import { describe, expect, it } from 'vitest';
import { textWidth } from '../../../src/lib/wrap.js';
import { attacks, liveIn } from '../../terminal/screens.js';
import { run } from '../../helpers/run.js';
import { fakeService, json } from '../../helpers/fake-service.js';
import { scene, type FakeTicket } from './scene.js';

const ticket: FakeTicket = {
  id: 'ticket_1',
  status: 'replied',
  subject: 'Ответы 漢字',
  category: 'performance',
  clientIncidentId: 'svc-1',
  occurrences: 3,
  messages: [
    { author: 'client', body: 'They are slow.\n\n  curl -v \\\n\t--max-time 3\n' },
    {
      author: 'staff',
      body: 'One two three four five six seven eight nine ten eleven twelve thirteen. 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 👨‍👩‍👧 e\u0301nd',
      attachments: [{ id: 'att_1', filename: 'screen.png' }, { id: 'att_2' }],
    },
  ],
};

describe('svc tickets show', () => {
  it('shows the thread on a terminal, broken to its width', async () => {
    const at = await scene(ticket);
    const result = await at.svc('show ticket_1', {
      tty: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      [
        'ticket_1  replied  performance',
        'Ответы 漢字',
        'opened 2026-11-21 18:43 UTC · reported 3 times',
        'incident id: svc-1',
        '',
        'you · 2026-11-21 18:43 UTC',
        '  They are slow.',
        '',
        '    curl -v \\',
        '          --max-time 3',
        '',
        'staff · 2026-11-21 18:43 UTC',
        '  One two three four five six seven',
        '  eight nine ten eleven twelve thirteen.',
        '  漢字漢字漢字漢字漢字漢字漢字漢字漢字漢',
        '  字 👨‍👩‍👧 e\u0301nd',
        '  image  att_1  screen.png  image/png  70 B',
        '  image  att_2  image/png  70 B',
        '',
      ].join('\n'),
    );
    const body = result.stdout.split('\n').filter((line) => line.startsWith('  '));
    expect(body.slice(0, -2).every((line) => textWidth(line) <= 40)).toBe(true);
  });

  it('gives a pipe every line as it came', async () => {
    const at = await scene(ticket);
    const result = await at.svc('show ticket_1');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      [
        'ticket_1  replied  performance',
        'Ответы 漢字',
        'opened 2026-11-21 18:43 UTC · reported 3 times',
        'incident id: svc-1',
        '',
        'you · 2026-11-21 18:43 UTC',
        'They are slow.\n\n  curl -v \\\n\t--max-time 3',
        '',
        'staff · 2026-11-21 18:43 UTC',
        ticket.messages[1]?.body,
        '  image  att_1  screen.png  image/png  70 B',
        '  image  att_2  image/png  70 B',
        '',
      ].join('\n'),
    );
  });

  it('gives the reply as it came under --json', async () => {
    const reply = { ticket: { id: 't1', status: 'sleeping', odd: { n: 1 }, messages: null } };
    const service = await fakeService(json(reply));
    const result = await run('tickets show t1 --json', { env: service.env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual(reply);
  });

  it('names the way to the tickets there are when there is no such one', async () => {
    const at = await scene();
    expect(await at.svc('show ticket_9')).toMatchObject({
      code: 3,
      stdout: '',
      stderr:
        'error: this account has no ticket ticket_9\nhint: see which tickets there are: `svc tickets list`\n',
    });
  });
});

describe('a ticket full of sequences that terminals obey', () => {
  const all = attacks.map(([, text]) => text).join('|');
  const hostile: FakeTicket = {
    id: `ticket_1${all}`,
    status: all,
    subject: all,
    category: all,
    clientIncidentId: all,
    messages: [
      { author: all, body: all, attachments: [{ id: all, filename: all }] },
      { author: 'staff', body: all },
    ],
  };
  const env = { NO_COLOR: '1' };

  it.each(['show', 'watch'])('leaves no live one on the terminal: %s', async (verb) => {
    const at = await scene({ ...hostile, id: 'ticket_1' });
    const result = await at.svc([verb, 'ticket_1'], { tty: true, env });
    expect(liveIn(result.stdout)).toEqual([]);
    expect(liveIn(result.stderr.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, ''))).toEqual([]);
    // It is shown, all the same.
    expect(result.stdout).toContain('␛[31mred␛[0m');
  });

  it.each([['list'], ['list --all']])('leaves no live one in %s', async (line) => {
    const at = await scene(hostile);
    const result = await at.svc(line, { tty: true, env });
    expect(result.code).toBe(0);
    expect(liveIn(result.stdout + result.stderr)).toEqual([]);
  });

  it.each([
    ['a pipe', false],
    ['a terminal', true],
  ])('is the same to the byte under --json, to %s', async (_, tty) => {
    const at = await scene({ ...hostile, id: 'ticket_1' });
    const result = await at.svc('show ticket_1 --json', { tty });
    expect(JSON.parse(result.stdout)).toMatchObject({
      ticket: {
        subject: all,
        status: all,
        messages: [
          { author: all, body: all, attachments: [{ id: all, filename: all }] },
          { body: all },
        ],
      },
    });
    if (tty) expect(liveIn(result.stdout)).toEqual([]);
  });
});
