import { expect, it } from 'vitest';
import { localMoment } from '../../../src/lib/moment.js';
import { fails } from '../../helpers/run.js';
import { attacks, liveIn } from '../../terminal/screens.js';
import { opened, scene } from './scene.js';

/** A service with this many tickets, their ids from the oldest on; every second one is closed. */
async function withTickets(count: number) {
  const at = await scene();
  const ids: string[] = [];
  for (let nth = 1; nth <= count; nth += 1) {
    ids.push(await at.open({ subject: nth === 1 ? '漢字'.repeat(40) : `Report ${nth}` }));
    if (nth % 2 === 0) await at.close(ids.at(-1) ?? '');
  }
  const nth = (line: string) => ids.findIndex((id) => line.startsWith(id)) + 1;
  /** The numbers of the tickets in the lines of a pipe. */
  const listed = (stdout: string) => stdout.trimEnd().split('\n').map(nth);
  return { ...at, ids, listed };
}

it('svc tickets list requests what the flags say, and reports that there is more', async () => {
  const at = await withTickets(6);
  const result = await at.svc('list --status open --limit 2');
  expect(at.listed(result.stdout)).toEqual([5, 3]);
  expect(result.stdout).toContain(`\topen\t${opened}\tgeneral\tReport 5\n`);
  expect(result.stderr).toBe('there are more: svc tickets list --all\n');
  expect(at.calls()).toEqual(['GET /v1/tickets?status=open&limit=2']);
});

it('svc tickets takes @last for the newest ticket, and the first characters of one that was listed', async () => {
  const at = await scene();
  const ids: Record<string, object> = { ticket_abcd1: {}, ticket_abcd2: {}, ticket_wxyz3: {} };
  const data = Object.keys(ids).map((id) => ({ id, status: 'open' }));
  at.on('tickets.list', { answer: { json: { object: 'list', data, hasMore: false } } });
  at.on('tickets.get', {
    answer: ({ url }) => ({ json: { ticket: { id: url.split('/').at(-1), status: 'open' } } }),
  });
  await at.svc('list');
  const shown = async (id: string) => (await at.svc(`show ${id}`)).stdout.split(' ')[0];
  for (const id of ['ticket_wxyz', 'ticket_wxyz3', 'ticket_wxyz…']) {
    expect(await shown(id)).toBe('ticket_wxyz3');
  }
  expect(await shown('@last')).toBe('ticket_abcd1');
  expect(await shown('ticket_elsewhere')).toBe('ticket_elsewhere');
  for (const line of ['show', 'close', 'watch', 'download', 'reply -f /dev/null']) {
    expect((await at.svc(`${line} ticket_abcd`)).code).toBe(2);
  }
  expect(await at.svc('close ticket_abcd')).toMatchObject(
    fails(2, 'ticket_abcd is ambiguous: ticket_abcd1, ticket_abcd2', 'svc tickets list'),
  );
});

it('svc tickets list continues from a cursor, for a page or to the end', async () => {
  const at = await withTickets(4);
  const first = JSON.parse((await at.svc('list --limit 2 --json')).stdout);
  const { nextCursor } = first;
  expect(first).toMatchObject({ data: [{ id: at.ids[3] }, { id: at.ids[2] }], hasMore: true });
  const page = await at.svc(['list', '--limit', '1', '--after', nextCursor]);
  expect(at.listed(page.stdout)).toEqual([2]);
  const rest = await at.svc(['list', '--all', '--after', nextCursor]);
  expect(at.listed(rest.stdout)).toEqual([2, 1]);
  expect(at.calls().at(-1)).toBe(`GET /v1/tickets?limit=100&after=${nextCursor}`);
});

it('svc tickets list follows every cursor with --all, and shows each page before it asks for the next', async () => {
  const at = await withTickets(7);
  const seen: number[] = [];
  const onStdout = () => seen.push(at.requests.length);
  const { stdout } = await at.svc('list --all --limit 3', { onStdout });
  expect(at.listed(stdout)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(at.calls()).toEqual(
    ['', `&after=${at.ids[4]}`, `&after=${at.ids[1]}`].map(
      (after) => `GET /v1/tickets?limit=3${after}`,
    ),
  );
  expect(seen[0]).toBe(1);
});

it.each([0, 1, 7])(
  'svc tickets list writes %i tickets as one JSON object with --all --json',
  async (count) => {
    const at = await withTickets(count);
    const { stdout } = await at.svc('list --all --limit 3 --json');
    const data = at.ids.toReversed().map((id) => ({ id }));
    const end = { hasMore: false, nextCursor: null, complete: true };
    expect(JSON.parse(stdout)).toMatchObject({ object: 'list', data, ...end });
  },
);

it('svc tickets list keeps what was given when a later page does not come, and says so', async () => {
  const at = await withTickets(5);
  at.on(/after/, { drop: 'request' });
  const result = await at.svc('list --all --limit 2');
  expect([result.code, at.listed(result.stdout)]).toEqual([12, [5, 4]]);
  expect(result.stderr).toMatch(/^error: .*; 2 tickets were received\nhint: run it again\n$/);
  const asJson = await at.svc('list --all --limit 2 --json');
  expect(asJson.code).toBe(12);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ data: [{}, {}], complete: false });
});

const ticket = {
  id: 'ticket_1',
  status: 'replied',
  subject: 'Ответы 漢字',
  category: 'performance',
  clientIncidentId: 'svc-1',
  occurrences: 3,
  createdAt: opened,
  messages: [
    {
      author: 'client',
      createdAt: opened,
      body: 'They are slow: https://a.b/%D0%BC\n\n  curl -v \\\n\t--max-time 3\n',
    },
    {
      author: 'staff',
      createdAt: opened,
      body: 'One two three four five six seven eight nine ten eleven twelve thirteen. 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 👨‍👩‍👧 e\u0301nd',
      attachments: [
        { id: 'att_1', filename: 'screen.png', mimeType: 'image/png', byteSize: 70 },
        { id: 'att_2', mimeType: 'image/png', byteSize: 70 },
      ],
    },
  ],
};

const showing = async (json: object = { ticket }) => {
  const at = await scene();
  at.on('tickets.get', { answer: { json } });
  at.clock.pass(3_600_000);
  return at;
};
const head = [
  'ticket_1  replied  performance',
  'Ответы 漢字',
  'opened 2026-11-21 18:43 UTC · reported 3 times',
  'incident id: svc-1',
  '',
  'you · 2026-11-21 18:43 UTC',
];
const attached = [
  '  image  att_1  screen.png  image/png  70 B',
  '  image  att_2  image/png  70 B',
  '',
];

it('svc tickets show shows the thread on a terminal, broken to its width', async () => {
  const at = await showing();
  const { stdout } = await at.svc('show ticket_1', { tty: true, columns: 40 });
  const local = `${localMoment(Date.parse(opened))} (1 h ago)`;
  const inLocalTime = (line: string) =>
    line.replace('2026-11-21 18:43 UTC', local).replace(' · reported', ' ·\nreported');
  expect(stdout).toBe(
    [
      ...head.map(inLocalTime),
      '  They are slow: https://a.b/м',
      '',
      '    curl -v \\',
      '          --max-time 3',
      '',
      `staff · ${local}`,
      '  One two three four five six seven',
      '  eight nine ten eleven twelve thirteen.',
      '  漢字漢字漢字漢字漢字漢字漢字漢字漢字漢',
      '  字 👨‍👩‍👧 e\u0301nd',
      ...attached,
    ].join('\n'),
  );
});

it('svc tickets show gives a pipe every line as it came, and a program the reply', async () => {
  const at = await showing();
  const { stdout } = await at.svc('show ticket_1');
  const [first, second] = ticket.messages.map(({ body }) => body);
  const staff = ['', 'staff · 2026-11-21 18:43 UTC'];
  expect(stdout).toBe([...head, first?.trimEnd(), ...staff, second, ...attached].join('\n'));
  const odd = { ticket: { id: 't1', status: 'sleeping', odd: { n: 1 }, messages: null } };
  const json = await (await showing(odd)).svc('show t1 --json');
  expect(JSON.parse(json.stdout)).toEqual(odd);
});

it('svc tickets show names the command that lists the tickets when the id is unknown', async () => {
  const at = await scene();
  expect(await at.svc('show ticket_9')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining(
      'no ticket ticket_9\nhint: list the tickets: `svc tickets list`\n',
    ),
  });
});

const all = attacks.map(([, text]) => text).join('|');
const hostile = {
  ...{ id: 'ticket_1', status: all, subject: all, category: all, clientIncidentId: all },
  messages: [
    { author: all, body: all, attachments: [{ id: all, filename: all }] },
    { author: 'staff', body: all },
  ],
};
const withHostile = async () => {
  const at = await scene();
  at.on('tickets.get', { answer: { json: { ticket: hostile } } });
  at.on('tickets.list', { answer: { json: { data: [hostile], hasMore: false } } });
  return at;
};

it.each(['show ticket_1', 'watch ticket_1', 'list --all'])(
  'a ticket full of sequences that terminals obey is shown without an active one by svc tickets %s',
  async (line) => {
    const { stdout, stderr } = await (await withHostile()).svc(line, { tty: true });
    expect(liveIn(stdout)).toEqual([]);
    expect(liveIn(stderr.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, ''))).toEqual([]);
    expect(stdout).toContain('[31mred');
  },
);

it('a ticket full of sequences that terminals obey is the same to the byte under --json', async () => {
  const { stdout } = await (await withHostile()).svc('show ticket_1 --json', { tty: true });
  expect(JSON.parse(stdout)).toEqual({ ticket: hostile });
  expect(liveIn(stdout)).toEqual([]);
});
