import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/json.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { jsonOf, type RunOptions } from '../../helpers/run.js';
import { images, report, scene } from './scene.js';
import { keptIncidents } from '../../helpers/state.js';

const { subject, message } = report;
const create = ['create', '--subject', subject];

function incidentsIn(bodies: readonly unknown[]): unknown[] {
  return bodies.map((body) => isRecord(body) && body['clientIncidentId']);
}

describe('svc tickets create', () => {
  it.each<readonly [string, readonly string[], RunOptions]>([
    ['a file', ['-f', 'report.txt'], { tty: true }],
    ['what is piped in', [], { stdin: message }],
    ['--message -', ['--message', '-'], { stdin: message }],
    ['--message', ['--message', message], {}],
  ])(
    'opens a ticket with the message of %s, and prints its id alone',
    async (_, flags, options) => {
      const at = await scene();
      const path = at.file('report.txt', message);
      const line = [...create, ...flags.map((word) => (word === 'report.txt' ? path : word))];
      const result = await at.svc(line, options);
      const id = String((await at.tickets())[0]?.['id']);
      const hint = options.tty ? `wait for the answer: svc tickets watch ${id}\n` : '';
      expect(result).toMatchObject({ code: 0, stdout: `${id}\n`, stderr: hint });
      expect(at.posted()).toEqual([
        { subject, message, clientIncidentId: expect.stringMatching(/^svc-[0-9a-f-]{36}$/) },
      ]);
    },
  );

  it('sends everything that flags say, and no incident id but the one that is given', async () => {
    const at = await scene();
    at.acceptAll();
    const flags = ['--category', 'api_error', '--request-id', 'r2', '--request-id', 'r1'];
    const line = [...create, '--message', message, ...flags, '--incident-id', 'deploy:7'];
    const { stdout } = await at.svc([...line, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ deduplicated: false, ticket: { source: 'api' } });
    expect(at.posted()).toEqual([
      {
        subject,
        message,
        category: 'api_error',
        requestIds: ['r2', 'r1'],
        clientIncidentId: 'deploy:7',
      },
    ]);
    expect(keptIncidents(at.home)).toEqual([]);
  });

  it('leaves one ticket after five dropped connections, by running it again', async () => {
    const at = await scene();
    at.on('tickets.create', { drop: 'answer', times: 5 });
    const line = [...create, '--message', message];
    const first = await at.svc(line);
    expect(first).toMatchObject({ code: 10, stdout: '' });
    expect(first.stderr).toMatch(
      /^error: .* it may have been carried out\nhint: run the same command again: the incident id svc-[0-9a-f-]+ keeps the service from opening a second ticket\n$/,
    );
    const second = await at.svc(line);
    const [ticket, ...others] = await at.tickets();
    expect(others).toEqual([]);
    const id = String(ticket?.['id']);
    expect(second).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
      stderr: `no new ticket: ${id} is the same report, reported 6 times so far\n`,
    });
    expect(at.posted()).toHaveLength(6);
    expect(new Set(incidentsIn(at.posted())).size).toBe(1);
  });

  it('recognises the same report for a day, whatever white space surrounds it', async () => {
    const at = await scene();
    at.acceptAll();
    const atMs = (now: number) => ({ clock: new PollingClock({ now }) });
    const hour = 3_600_000;
    const line = [...create, '--message', message];
    await at.svc([...line, '--request-id', 'a', '--request-id', 'b'], atMs(0));
    await at.svc([...line, '--request-id', 'b', '--request-id', 'a', '--json'], atMs(hour));
    await at.svc([...line, '--category', 'general'], atMs(2 * hour));
    await at.svc(line, atMs(3 * hour));
    await at.svc(line, atMs(25.5 * hour));
    await at.svc(line, atMs(27 * hour));
    await at.svc([...line, '--category', 'billing'], atMs(27 * hour));
    const [a, b, c, d, e, f, g] = incidentsIn(at.posted());
    expect([b, d, e]).toEqual([a, c, c]);
    expect(new Set([a, c, f, g]).size).toBe(4);
  });

  it('makes one id for the same report of several at once', async () => {
    const at = await scene();
    const line = [...create, '--message', message];
    await Promise.all([at.svc(line), at.svc(line), at.svc(line)]);
    expect(new Set(incidentsIn(at.posted())).size).toBe(1);
    expect(await at.tickets()).toHaveLength(1);
  });

  it('sends nothing where the id cannot be kept', async () => {
    const at = await scene();
    at.file('data', 'a file where a folder should be');
    const result = await at.svc([...create, '--message', message]);
    expect(result.code).toBe(11);
    expect(result.stderr).toContain('pass your own id with --incident-id; nothing was sent');
    expect(at.calls()).toEqual([]);
  });

  it('sends images as a form, with their types by their content', async () => {
    const at = await scene();
    at.acceptAll();
    const files = [at.file('a.png', images.gif), at.file('b', images.webp)];
    const flags = files.flatMap((path) => ['--attach', path]);
    const ids = ['--request-id', 'r1', '--request-id', 'r2'];
    const line = [...create, '--message', message, ...ids, ...flags];
    expect(await jsonOf(at.svc([...line, '--dry-run']))).toMatchObject({
      body: {
        bytes: expect.any(Number),
        fields: { subject, message, requestIds: ['r1', 'r2'] },
        files: [
          { field: 'files', filename: 'a.png', type: 'image/gif', bytes: images.gif.length },
          { filename: 'b' },
        ],
      },
    });
    expect(at.requests).toEqual([]);
    await at.svc(line);
    const [request] = at.requests;
    expect(request?.headers['content-length']).toBeDefined();
    const parts = (request?.body ?? '').split(/--svc-[0-9a-f]+(?:--)?\r\n/).slice(1, -1);
    expect(parts.map((part) => part.split('\r\n\r\n')[0]?.replaceAll('\r\n', ' | '))).toEqual([
      'Content-Disposition: form-data; name="subject"',
      'Content-Disposition: form-data; name="message"',
      'Content-Disposition: form-data; name="requestIds"',
      'Content-Disposition: form-data; name="requestIds"',
      'Content-Disposition: form-data; name="clientIncidentId"',
      'Content-Disposition: form-data; name="files"; filename="a.png" | Content-Type: image/gif',
      'Content-Disposition: form-data; name="files"; filename="b" | Content-Type: image/webp',
    ]);
    expect(parts[1]).toContain(`\r\n\r\n${message}\r\n`);
  });

  it('sends the same form again after a dropped connection, and says that images may be missing', async () => {
    const at = await scene();
    at.on('tickets.create', { drop: 'answer', times: 1 });
    const image = at.file('a.png', images.png);
    const result = await at.svc([...create, '--message', message, '--attach', image]);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('check whether it has the images: svc tickets show ticket_');
    const [one, other] = at.requests.map(({ body }) => body);
    expect(one).toBe(other);
  });

  it('cites a closed ticket with --follow-up', async () => {
    const at = await scene();
    const id = await at.open({ subject: 'Re: Slow', category: 'performance' });
    await at.close(id);
    expect((await at.svc(['create', '--follow-up', id], { stdin: 'Slow again.\n' })).code).toBe(0);
    expect(at.posted()).toMatchObject([
      {
        subject: 'Re: Slow',
        category: 'performance',
        message: `Slow again.\n\n(This follows ${id}, which is closed.)`,
      },
    ]);
  });
});
