import { describe, expect, it } from 'vitest';
import { localMoment } from '../../../src/lib/moment.js';
import { textWidth } from '../../../src/lib/wrap.js';
import { fakeService, json } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';
import { attacks, liveIn } from '../../terminal/screens.js';
import { drop, type FakeTicket, opened, scene } from './scene.js';

function ticketsUpTo(count: number): FakeTicket[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `ticket_${String(index + 1)}`,
    status: index % 2 === 0 ? 'open' : 'closed',
    subject: index === 0 ? '漢字'.repeat(40) : `Report ${String(index + 1)}`,
    messages: [],
  }));
}

describe('svc tickets list', () => {
  it('gives a pipe a line for each ticket, newest first', async () => {
    const at = await scene(...ticketsUpTo(2));
    const result = await at.svc('list');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      `ticket_2\tclosed\t${opened}\tgeneral\tReport 2\nticket_1\topen\t${opened}\tgeneral\t${'漢字'.repeat(40)}\n`,
    );
    expect(at.calls()).toEqual(['GET /v1/tickets']);
  });

  it('draws a table on a terminal that fits its width', async () => {
    const at = await scene(...ticketsUpTo(2));
    const result = await at.svc('list', { tty: true, columns: 60 });
    expect(result.stdout).toBe(
      [
        'ID        STATUS  CHANGED  CATEGORY  SUBJECT',
        'ticket_2  closed  1 h ago  general   Report 2',
        'ticket_1  open    1 h ago  general   漢字漢字漢字漢字漢字漢…',
        '',
      ].join('\n'),
    );
    expect(result.stdout.split('\n').every((line) => textWidth(line) <= 60)).toBe(true);
  });

  it('requests what the flags say, and reports that there is more', async () => {
    const at = await scene(...ticketsUpTo(6));
    const result = await at.svc('list --status open --limit 2');
    expect(result.stdout.match(/^ticket_\d/gm)).toEqual(['ticket_5', 'ticket_3']);
    expect(result.stderr).toBe('there are more: svc tickets list --all\n');
    expect(at.calls()).toEqual(['GET /v1/tickets?status=open&limit=2']);
  });

  it('continues from a cursor, for a page or to the end', async () => {
    const at = await scene(...ticketsUpTo(4));
    const { nextCursor, ...first } = JSON.parse((await at.svc('list --limit 2 --json')).stdout);
    expect(first).toMatchObject({
      object: 'list',
      data: [{ id: 'ticket_4' }, { id: 'ticket_3' }],
      hasMore: true,
    });
    const page = await at.svc(['list', '--limit', '1', '--after', nextCursor]);
    expect(page.stdout).toMatch(/^ticket_2\t/);
    const rest = await at.svc(['list', '--all', '--after', nextCursor]);
    expect(rest.stdout.match(/^ticket_\d/gm)).toEqual(['ticket_2', 'ticket_1']);
    expect(at.calls().at(-1)).toBe(`GET /v1/tickets?limit=100&after=${nextCursor}`);
  });

  it('follows every cursor with --all, a page at a time', async () => {
    const at = await scene(...ticketsUpTo(250));
    const seen: number[] = [];
    const result = await at.svc('list --all', { onStdout: () => seen.push(at.requests.length) });
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(250);
    expect(at.calls()).toEqual([
      'GET /v1/tickets?limit=100',
      'GET /v1/tickets?limit=100&after=ticket_151',
      'GET /v1/tickets?limit=100&after=ticket_51',
    ]);
    // The first are shown before the second page is asked for.
    expect(seen[0]).toBe(1);
  });

  it.each([[0], [1], [7]])(
    'writes %i tickets as one JSON object with --all --json',
    async (count) => {
      const at = await scene(...ticketsUpTo(count));
      const result = await at.svc('list --all --limit 3 --json');
      expect(result).toMatchObject({ code: 0, stderr: '' });
      const ids = Array.from({ length: count }, (_, index) => ({ id: `ticket_${count - index}` }));
      expect(JSON.parse(result.stdout)).toMatchObject({
        object: 'list',
        data: ids,
        hasMore: false,
        nextCursor: null,
        complete: true,
      });
    },
  );

  it('says when there is none', async () => {
    const at = await scene();
    expect(await at.svc('list')).toMatchObject({ code: 0, stdout: '', stderr: 'no tickets\n' });
  });

  it('keeps what was given when a later page does not come, and says so', async () => {
    const at = await scene(...ticketsUpTo(5));
    at.instead = ({ url }, response) => url.includes('after') && drop(response);
    const result = await at.svc('list --all --limit 2');
    expect(result.code).toBe(12);
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(result.stderr).toMatch(/^error: .*; 2 tickets were received\nhint: run it again\n$/);
    const asJson = await at.svc('list --all --limit 2 --json');
    expect(asJson.code).toBe(12);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      data: [{ id: 'ticket_5' }, { id: 'ticket_4' }],
      complete: false,
    });
  });
});

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
  const head = [
    'ticket_1  replied  performance',
    'Ответы 漢字',
    'opened 2026-11-21 18:43 UTC · reported 3 times',
    'incident id: svc-1',
    '',
    'you · 2026-11-21 18:43 UTC',
  ];
  const images = [
    '  image  att_1  screen.png  image/png  70 B',
    '  image  att_2  image/png  70 B',
    '',
  ];

  it('shows the thread on a terminal, broken to its width', async () => {
    const at = await scene(ticket);
    const result = await at.svc('show ticket_1', {
      tty: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const local = `${localMoment(Date.parse(opened))} (1 h ago)`;
    const inLocalTime = (line: string) =>
      line.replace('2026-11-21 18:43 UTC', local).replace(' · reported', ' ·\nreported');
    expect(result.stdout).toBe(
      [
        ...head.map(inLocalTime),
        '  They are slow.',
        '',
        '    curl -v \\',
        '          --max-time 3',
        '',
        `staff · ${local}`,
        '  One two three four five six seven',
        '  eight nine ten eleven twelve thirteen.',
        '  漢字漢字漢字漢字漢字漢字漢字漢字漢字漢',
        '  字 👨‍👩‍👧 e\u0301nd',
        ...images,
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
        ...head,
        'They are slow.\n\n  curl -v \\\n\t--max-time 3',
        '',
        'staff · 2026-11-21 18:43 UTC',
        ticket.messages[1]?.body,
        ...images,
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

  it('names the command that lists the tickets when the id is unknown', async () => {
    const at = await scene();
    expect(await at.svc('show ticket_9')).toMatchObject({
      code: 3,
      stdout: '',
      stderr:
        'error: this account has no ticket ticket_9\nhint: list the tickets: `svc tickets list`\n',
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

  it.each(['show ticket_1', 'watch ticket_1', 'list --all'])(
    'has no active one: %s',
    async (line) => {
      const at = await scene({ ...hostile, id: 'ticket_1' });
      const { stdout, stderr } = await at.svc(line, { tty: true, env });
      expect(liveIn(stdout)).toEqual([]);
      expect(liveIn(stderr.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, ''))).toEqual([]);
      // It is shown, all the same.
      expect(stdout).toContain('[31mred');
    },
  );

  it('is the same to the byte under --json', async () => {
    const at = await scene({ ...hostile, id: 'ticket_1' });
    const { stdout } = await at.svc('show ticket_1 --json', {
      tty: true,
      env: { NO_COLOR: '1' },
    });
    const { subject, status, messages } = hostile;
    expect(JSON.parse(stdout)).toMatchObject({ ticket: { subject, status, messages } });
    expect(liveIn(stdout)).toEqual([]);
  });
});
