import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { feedback as limits } from '../../src/contract/limits.js';
import { fakeService, json, type FakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { PollingClock } from '../helpers/manual-clock.js';
import { run, type RunOptions } from '../helpers/run.js';

const warning = 'warning: this command is deprecated: use `svc tickets create`\n';
const localWarning = warning.replace('svc', 'svc --local');
const summary = 'Answers stop early';
const details = 'Since this morning.\nThey end in the middle.\n';
const report = ['--category', 'api_error', '--summary', summary];
const wide = (count: number) => '🌍'.repeat(count);

async function scene(
  reply: unknown = { deduplicated: false, ticket: { id: 'ticket_1' } },
  answer = json(reply, 201),
) {
  const service = await fakeService(answer);
  const home = testFolder();
  const svc = (line: readonly string[], options: RunOptions = {}) =>
    run(['feedback', ...line], {
      home,
      clock: new PollingClock(),
      ...options,
      env: { ...service.env, ...options.env },
    });
  return { service, svc };
}

function posted({ requests }: FakeService): unknown[] {
  return requests.map(({ body }): unknown => JSON.parse(body));
}

it('svc feedback create sends a report with an incident id, prints its id, and says that it is deprecated', async () => {
  const { service, svc } = await scene();
  const flags = ['--request-id', 'r1', '--request-id', 'r2'];
  const result = await svc(['create', ...report, ...flags], { stdin: details });
  expect(result).toMatchObject({ code: 0, stdout: 'ticket_1\n', stderr: warning });
  expect(posted(service)).toEqual([
    {
      category: 'api_error',
      summary,
      details,
      requestIds: ['r1', 'r2'],
      clientIncidentId: expect.stringMatching(/^svc-/),
    },
  ]);
  expect(service.requests[0]?.url).toBe('/v1/technical-feedback');
});

it('svc feedback create says after a dropped connection that the same command may be run again, without a charge', async () => {
  const { service, svc } = await scene(undefined, (_seen, response) => {
    response.destroy();
  });
  const result = await svc(['create', ...report, '--details', details]);
  expect(result).toMatchObject({ code: 10, stdout: '' });
  expect(result.stderr).toMatch(/hint: run the same command again: the incident id svc-/);
  expect(result.stderr).not.toContain('charged');
  expect(service.requests).toHaveLength(1);
});

it.each([
  [{ id: 'fb_1' }, 'fb_1\n'],
  [null, ''],
])('svc feedback create prints the id of %j as %j', async (reply, stdout) => {
  const { svc } = await scene(reply);
  expect(await svc(['create', ...report, '--details', details])).toMatchObject({
    code: 0,
    stdout,
  });
  const all = await svc(['create', ...report, '--details', details, '--json', '-q']);
  expect(JSON.parse(all.stdout)).toEqual(reply);
  expect(all.stderr).toBe(warning);
});

it.each([
  [['create', '--summary', summary, '--details', details], '--category is missing'],
  [['create', '--category', 'api_error', '--details', details], '--summary is missing'],
  [['create', ...report], 'the details are missing: --details, -f, or pipe them in'],
  [
    ['create', ...report, '--details', wide(limits.detailsCharacters.min - 1)],
    'details must be 10 to 4000 characters long',
  ],
  [
    ['create', ...report, '--details', details, '--request-id', 'a', '--request-id', 'a'],
    'requestIds must not name an id twice',
  ],
])('svc feedback create refuses %j', async (line, sentence) => {
  const { service, svc } = await scene();
  const result = await svc(line);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr.split('\n')[1]).toBe(`error: ${sentence}`);
  expect(service.requests).toEqual([]);
});

it('svc feedback against the embedded service sends a report and shows it', async () => {
  const home = testFolder();
  const svc = (...line: string[]) => run(['--local', 'feedback', ...line], { home });
  const created = await svc('create', ...report, '--details', details);
  expect(created).toMatchObject({ code: 0, stderr: localWarning });
  const again = await svc('create', ...report, '--details', details);
  expect(again).toMatchObject({ code: 0, stdout: created.stdout });
  expect(again.stderr).toBe(`${localWarning}no new report: an open one has the same content\n`);
  const shown = await svc('show', created.stdout.trim());
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain(`subject\t${summary}\n`);
  expect(shown.stderr).toBe(localWarning.replace('create', 'show'));
  const reply = await svc('show', created.stdout.trim(), '--json');
  const Reply = z.object({ ticket: z.looseObject({ source: z.string() }) });
  expect(Reply.parse(JSON.parse(reply.stdout)).ticket.source).toBe('technical-feedback');
});
