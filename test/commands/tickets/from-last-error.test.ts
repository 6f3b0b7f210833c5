import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../src/state/account.js';
import type { LastFailure } from '../../../src/state/small-files.js';
import { frontKey } from '../../helpers/front.js';
import { jsonOf, run } from '../../helpers/run.js';
import { images, scene } from './scene.js';

const failure: LastFailure = {
  atMs: Date.UTC(2026, 10, 21, 12),
  command: 'svc chat -m vendor/model --temperature 0.2 …',
  exit: 6,
  status: 503,
  code: 'overloaded',
  requestIds: ['req_1', 'gen_1'],
  svc: '0.1.0',
  node: 'v20.20.0',
  system: 'linux x64',
};

const facts = `The last command that failed:

command: svc chat -m vendor/model --temperature 0.2 …
exit code: 6
status: 503
code: overloaded
request ids: req_1, gen_1
time: 2026-11-21T12:00:00.000Z
svc: 0.1.0
node: v20.20.0
system: linux x64
`;

/** A service that opens any ticket, and this failure as the last one. */
async function failed(change: Partial<LastFailure> = {}, key: string = frontKey) {
  const at = await scene();
  at.acceptAll();
  const account = accountOf('default', at.origin, key);
  mkdirSync(join(at.home, 'data'), { recursive: true });
  const path = join(at.home, 'data', 'last-failure.json');
  writeFileSync(path, JSON.stringify({ ...failure, account, ...change }));
  return at;
}

const line = 'create --from-last-error';
const report = {
  subject: 'svc chat failed: exit code 6, status 503, overloaded',
  category: 'api_error',
  requestIds: ['req_1', 'gen_1'],
  message: facts,
};

describe('svc tickets create --from-last-error', () => {
  it('shows the whole report, and sends it when the person says so', async () => {
    const at = await failed();
    const result = await at.svc(line, {
      tty: true,
      typed: [['Send this to support?', 'y\n']],
    });
    expect(result).toMatchObject({ code: 0, stdout: 'ticket_1\n' });
    expect(at.posted()).toEqual([{ ...report, clientIncidentId: expect.stringMatching(/^svc-/) }]);
    const shown = facts
      .trimEnd()
      .split('\n')
      .map((text) => (text === '' ? '' : `  ${text}`))
      .join('\n');
    expect(result.stderr).toContain(
      `subject: ${report.subject}\ncategory: api_error\nrequest ids: req_1, gen_1\n\n${shown}\n`,
    );
    expect(result.stderr.indexOf('subject:')).toBeLessThan(result.stderr.indexOf('Send this'));
  });

  it.each([
    ['no', 'n\n', 2],
    ['no answer but Enter', '\n', 2],
    ['Ctrl-C', '\u0003', 130],
  ])('sends nothing on %s', async (_, keys, code) => {
    const at = await failed();
    const typed = [['Send this to support?', keys]] as const;
    expect(await at.svc(line, { tty: true, typed })).toMatchObject({ code, stdout: '' });
    expect(at.calls()).toEqual([]);
  });

  it.each([
    ['off a terminal', line, false],
    ['under --no-input', `${line} --no-input`, true],
  ])('needs --yes %s', async (_, words, tty) => {
    const at = await failed();
    expect(await at.svc(words, { tty })).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: cannot ask here whether to send the report; nothing was sent\nhint: show it with --dry-run, send it with --yes\n',
    });
    expect(at.calls()).toEqual([]);
    expect(await at.svc(`${words} --yes`, { tty })).toMatchObject({ stdout: 'ticket_1\n' });
    expect(at.posted()).toMatchObject([report]);
  });

  it('omits request ids that the service considers foreign, except those in its text', async () => {
    const at = await failed();
    const foreign = { status: 400, json: { error: 'requestIds[1] is foreign', code: 'foreign' } };
    at.on('tickets.create', {
      answer: ({ body }) => (body.includes('"gen_1"') ? foreign : undefined),
    });
    const result = await at.svc(`${line} --yes --request-id own_1`);
    expect(result).toMatchObject({ code: 0, stdout: 'ticket_1\n' });
    expect(result.stderr).toContain('they are only in the text');
    expect(at.posted()).toMatchObject([
      { requestIds: ['own_1', 'req_1', 'gen_1'], message: facts },
      { requestIds: ['own_1'], message: facts },
    ]);
  });

  it('is only shown with --dry-run', async () => {
    const at = await failed();
    expect(await jsonOf(at.svc(`${line} --dry-run`))).toMatchObject({ body: report });
    expect(at.calls()).toEqual([]);
  });

  it('puts the text of the user first, and uses their subject, category, ids and images', async () => {
    const at = await failed();
    const flags = ['--subject', 'It fails', '--category', 'performance', '--request-id', 'req_0'];
    const stdin = 'Every day at noon.\n';
    await at.svc([...line.split(' '), ...flags, '-f', '-', '--yes'], { stdin });
    expect(at.posted()).toMatchObject([
      {
        subject: 'It fails',
        category: 'performance',
        requestIds: ['req_0', 'req_1', 'gen_1'],
        message: `Every day at noon.\n\n${facts}`,
      },
    ]);
    const image = at.file('a.png', images.png);
    const shown = await at.svc([...line.split(' '), '--attach', image, '--yes']);
    expect(shown.stderr).toContain('images: a.png');
  });

  it('does not wait for an unnamed pipe', async () => {
    const at = await failed();
    const stdin = new PassThrough();
    expect(await at.svc(`${line} --yes`, { stdin })).toMatchObject({ code: 0 });
  });

  it('leaves out the key of the service, also in the text of the user', async () => {
    const at = await failed();
    const flags = ['--subject', `mail ${frontKey}`, '--message', `x: ${frontKey}`];
    const result = await at.svc([...line.split(' '), ...flags, '--yes']);
    expect(at.posted()).toMatchObject([{ subject: 'mail [key]', message: `x: [key]\n\n${facts}` }]);
    expect(result.stderr).not.toContain(frontKey);
  });

  it('names no request of another account', async () => {
    const at = await failed({}, 'sk-svc-another00000');
    await at.svc(`${line} --yes`);
    const [body] = at.posted();
    expect(body).not.toHaveProperty('requestIds');
    expect(JSON.stringify(body)).toContain('(of another account than this');
  });

  it.each([
    [{ status: 402, exit: 5 }, 'billing'],
    [{ status: 401, exit: 4 }, 'account'],
    [{ status: undefined, exit: 6 }, 'integration'],
    [{ status: undefined, exit: 1, code: 'bug' }, 'other'],
  ])('files %j under %s', async (change, category) => {
    const at = await failed(change);
    await at.svc(`${line} --yes`);
    expect(at.posted()).toMatchObject([{ category }]);
  });

  it('says so when nothing has failed', async () => {
    const at = await scene();
    expect(await at.svc(`${line} --yes`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: no failed command is recorded\nhint: describe the problem: `svc tickets create`\n',
    });
  });
});

it('the subject of a report has the command without a piece of its model', async () => {
  const at = await failed({ command: 'svc generate vendor/video --opt … …' });
  await at.svc(`${line} --yes`);
  expect(at.posted()[0]).toMatchObject({
    subject: 'svc generate failed: exit code 6, status 503, overloaded',
  });
});

it('the report of a command that failed names its own request to the service', async () => {
  const at = await scene();
  const prompt = 'a secret prompt';
  const { env, home } = at;
  await run(['chat', '-m', 'vendor/model', prompt], { env, home });
  expect((await at.svc(`${line} --yes`)).code).toBe(0);
  expect(at.posted().at(-1)).toMatchObject({
    subject: 'svc chat failed: exit code 3, status 404, model_not_found',
    requestIds: [expect.stringMatching(/^req_/)],
    message: expect.stringContaining('command: svc chat -m vendor/model …\nexit code: 3\n'),
  });
  expect(JSON.stringify(at.posted().at(-1))).not.toContain(prompt);
});
