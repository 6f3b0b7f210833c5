import { expect, it } from 'vitest';
import { configIn, homeWith } from '../helpers/config-home.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run, type RunOptions } from '../helpers/run.js';

type Typed = NonNullable<RunOptions['typed']>;
const down = '\u001b[B';
const at = (home: string, ...typed: Typed) => ({ tty: true, home, typed });

it('a person chooses a model that -m leaves out, by words of it, the one used last first', async () => {
  const home = testFolder();
  await run('--local chat -m local/guide hi', { home });
  const asked = await run('--local chat hi -m', at(home, ['local/script', 'echo'], ['echo', '\r']));
  expect(asked).toMatchObject({ code: 0, stdout: 'hi\n' });
  const shown = asked.stderr.slice(asked.stderr.indexOf('Which model?'));
  expect(shown).toMatch(/local\/guide +100\.00 in, .*1,000,000 tokens/);
  const order = ['guide', 'echo', 'script'].map((one) => shown.indexOf(`local/${one}`));
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(shown).not.toContain('local/canvas');
});

it('a person chooses the model of a session with /model, which then asks it', async () => {
  const typed: Typed = [
    ['/help', '/model\r'],
    ['local/script', 'echo'],
    ['Which model? echo', '\r'],
    ['model: local/echo', 'hello\r'],
    ['RUB', '/load\r'],
    ['Which conversation?', '\u001b'],
    ['/load needs a name', '/exit\r'],
  ];
  const { code, stdout } = await run('--local chat', at(testFolder(), ...typed));
  expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'hello' });
});

it('a person chooses the value of a default model among those of its kind', async () => {
  const model = (id: string, type: string) => ({ id, type });
  const data = [
    model('v/chat', 'text'),
    model('v/a', 'image'),
    model('v/b', 'image'),
    model('-m', 'image'),
    model(`v/${'long'.repeat(20)}`, 'image'),
    { ...model('v/c', 'image'), pricing: { fromRub: 2 } },
  ];
  const { env } = await fakeService(json({ data }));
  const home = homeWith({});
  const typed = [['v/b', `${down}${down}\r`]] as const;
  const { code, stderr } = await run('config set model.image', { ...at(home, ...typed), env });
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/v\/chat|❯ -m/);
  expect(stderr).toMatch(/v\/c +from 2\.00 RUB/);
  expect(configIn(home)).toMatchObject({ profiles: { default: { 'model.image': 'v/b' } } });
});

it('a person chooses among models whose types the service does not tell', async () => {
  const { env } = await fakeService(json({ data: [{ id: 'v/a' }, { id: 'v/b', type: 'image' }] }));
  const home = homeWith({});
  const { stderr } = await run('config set model', { ...at(home, ['v/a', '\r']), env });
  expect(stderr).not.toContain('v/b');
  expect(configIn(home)).toMatchObject({ profiles: { default: { model: 'v/a' } } });
});

it('a person chooses a conversation, a job or a ticket whose id is left out', async () => {
  const home = testFolder();
  await run('--local chat -m local/echo hello', { home });
  const shown = await run('--local logs show', at(home, ['c1', 'c1'], ['c1', '\r']));
  expect(shown.stdout).toContain('hello');
  await run(`--local generate image boat -o ${home}/`, { home });
  for (const verb of ['show', 'wait', 'download']) {
    const { code, stderr } = await run(`--local jobs ${verb}`, at(home, ['boat', '\u001b']));
    expect(code).toBe(2);
    expect(stderr).toContain('boat · done');
  }
  const ticket = { id: 'ticket_0123456789', status: 'open', subject: 'Slow', messages: [] };
  const service = await fakeService(({ url }, response) => {
    const reply = url.includes(ticket.id) ? { ticket } : { data: [ticket], hasMore: false };
    response.end(JSON.stringify({ object: 'list', nextCursor: null, ...reply }));
  });
  const closed = await run('tickets show', { ...at(home, ['Slow', '\r']), env: service.env });
  expect(closed.stdout).toContain('Slow');
});

it.each([
  ['--local chat hi -m', 'missing value: --model <ID>', 'to list the models: svc models list'],
  ['--local jobs show', 'missing argument <id>', 'svc jobs show --help'],
  ['--local jobs wait', 'no job is given', 'jobs list'],
  ['--local config set model', 'missing argument <value>', 'svc config set --help'],
])(
  'nobody is asked by `svc %s` without a terminal, by an agent, or with --no-input',
  async (line, ...words) => {
    for (const [more, options] of [
      ['', {}],
      ['--no-input', { tty: true }],
      ['--dry-run', { tty: true }],
      ['', { tty: true, env: { CLAUDECODE: '1' } }],
    ] as const) {
      const typed = line.endsWith('-m') && more !== '' ? `${more} ${line}` : `${line} ${more}`;
      const { code, stderr } = await run(typed.trim(), options);
      expect(code).toBe(2);
      for (const one of words) expect(stderr).toContain(one);
    }
  },
);
