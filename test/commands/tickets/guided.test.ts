import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunOptions } from '../../helpers/run.js';
import { editorThatWrites, images, scene, type TicketScene } from './scene.js';

const subject = 'Answers stop early';
const message = 'Since this morning.\n\n  They end in the middle.';
const enter = '\n';
const down = '\u001b[B';

/** Lists two calls, and opens any ticket. */
function withUsage(at: TicketScene): TicketScene {
  const createdAt = '2026-11-21T17:43:00Z';
  const data = [
    { id: 'gen_2', model: 'vendor/two', priceRub: 1.5, createdAt },
    { id: 'gen_1', model: 'vendor/one', priceRub: 0.5, createdAt },
  ];
  at.on(/generations/, { answer: { json: { data } } });
  at.acceptAll();
  return at;
}

const terminal = (env: RunOptions['env'], typed: RunOptions['typed']): RunOptions => ({
  tty: true,
  env,
  typed,
});

function drafts(at: TicketScene): string[] {
  const folder = join(at.home, 'data', 'drafts');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

it('svc tickets create on a terminal asks for everything, and sends it once', async () => {
  const at = withUsage(await scene());
  const image = at.file('a screen.png', images.png);
  const result = await at.svc(
    'create',
    terminal(editorThatWrites(`\n${message}\n\n# ---`), [
      ['What is this about?', down + enter],
      ['Subject', `${subject}\n`],
      ['Which calls is this about?', `${down} ${enter}`],
      ['An image to attach', `'${image}'\n`],
      ['Another', enter],
    ]),
  );
  expect(result).toMatchObject({ code: 0, stdout: 'ticket_1\n' });
  const body = at.requests.at(-1)?.body ?? '';
  for (const [name, value] of [
    ['category', 'performance'],
    ['subject', subject],
    ['message', `${message}\n\n# ---`],
    ['requestIds', 'gen_1'],
  ] as const) {
    expect(body).toContain(`name="${name}"\r\n\r\n${value}\r\n`);
  }
  expect(body).toContain('filename="a screen.png"');
  expect(at.calls()).toEqual(['GET /v1/generations?limit=10', 'POST /v1/tickets']);
  expect(result.stderr).toContain('1 h ago  vendor/two  1.50 RUB  gen_2');
  expect(drafts(at)).toEqual([]);
});

it('svc tickets create on a terminal continues without request ids when recent calls are unavailable', async () => {
  const at = await scene();
  at.on(/generations/, { answer: { status: 503 } });
  const result = await at.svc(
    'create',
    terminal(editorThatWrites(message), [
      ['What is this about?', enter],
      ['Subject', `${subject}\n`],
      ['An image to attach', enter],
    ]),
  );
  expect(result.code).toBe(0);
  expect(at.posted()).toMatchObject([{ subject, message, category: 'api_error' }]);
});

const line = ['create', '--subject', subject];
const keptIn = (path: string, flags = '') =>
  `what you wrote is saved in ${path}; to send it: svc tickets create --subject '${subject}'${flags} -f ${path}\n`;

it('what was typed is never lost keeps the message when the editor fails', async () => {
  const at = await scene();
  const result = await at.svc(line, terminal(editorThatWrites(message, 3), []));
  const [path = '', ...others] = drafts(at);
  expect(others).toEqual([]);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toBe(
    `${keptIn(path)}error: the editor ended with 3; nothing was sent\nhint: name one that works in VISUAL or EDITOR, or give the message with --message or -f\n`,
  );
  expect(readFileSync(path, 'utf8')).toBe(message);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(at.calls()).toEqual([]);
});

it('what was typed is never lost keeps the message when the service cannot be reached, to be sent then', async () => {
  const at = await scene();
  at.on('tickets.create', { drop: 'answer' });
  const result = await at.svc(line, terminal(editorThatWrites(`${message}\n`), []));
  const [path = ''] = drafts(at);
  expect(result.code).toBe(10);
  expect(result.stderr).toContain(keptIn(path));
  at.straighten();
  const again = await at.svc([...line, '-f', path]);
  expect(again.code).toBe(0);
  expect(again.stderr).toMatch(/^no new ticket: ticket_\w+ is the same report/);
  expect(await at.tickets()).toHaveLength(1);
});

it('what was typed is never lost keeps the message alone in the file by the time it is sent, for a svc that is killed', async () => {
  const at = await scene();
  const held: string[] = [];
  const look = () => held.push(...drafts(at).map((path) => readFileSync(path, 'utf8')));
  at.on('tickets.create', { first: look });
  const template = `${message}\n\n# ------------------------ >8 ------------------------\n# help\n`;
  expect(await at.svc(line, terminal(editorThatWrites(template), []))).toMatchObject({ code: 0 });
  expect(held).toEqual([message]);
  expect(drafts(at)).toEqual([]);
});

it('what was typed is never lost keeps the message when a later question is closed with Ctrl-C', async () => {
  const at = withUsage(await scene());
  const result = await at.svc(
    'create',
    terminal(editorThatWrites(message), [
      ['What is this about?', enter],
      ['Subject', `${subject}\n`],
      ['Which calls is this about?', '\u0003'],
    ]),
  );
  expect(result).toMatchObject({ code: 130, stdout: '' });
  expect(result.stderr).toContain(keptIn(drafts(at)[0] ?? '', ' --category api_error'));
});

it.each([
  ['nothing', ''],
  [
    'what was there before',
    '\n\n# ------------------------ >8 ------------------------\n# This line and everything below it are removed.\n# more\n',
  ],
])(
  'what was typed is never lost an editor that leaves %s sends nothing and keeps nothing',
  async (_, text) => {
    const at = await scene();
    expect(await at.svc(line, terminal(editorThatWrites(text), []))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: the message is empty; nothing was sent\n',
    });
    expect(drafts(at)).toEqual([]);
    expect(at.calls()).toEqual([]);
  },
);
