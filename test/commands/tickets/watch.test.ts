import { expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { systemClock } from '../../../src/lib/clock.js';
import { scene, ticketReplyMs, type TicketScene } from './scene.js';

const answer = 'This is an automatic answer';

/** A ticket; what a line about it ends with, where `ID` stands for its id. */
async function withTicket() {
  const at = await scene();
  const id = await at.open();
  const svc: TicketScene['svc'] = (line, options) => {
    const words = typeof line === 'string' ? line.replaceAll('ID', id) : line;
    return at.svc(words, options);
  };
  return { ...at, id, svc };
}

it('svc tickets watch asks at growing intervals until there is an answer, and shows what is new', async () => {
  const at = await withTicket();
  at.answered();
  await at.svc('reply ID more');
  at.clock.pass(ticketReplyMs - 5000);
  const { stdout, stderr, code } = await at.svc('watch ID');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatch(/^\nstaff · 2026-11-21 20:43 UTC\nThis is an automatic answer[^\n]*\n$/);
  const waits = at.clock.sleeps.filter((ms) => ms <= 15_000 && ms !== 3000);
  expect(waits.slice(0, 4)).toEqual([1000, 1500, 2250, 3375]);
});

it('svc tickets watch shows the last answer of a ticket that is answered or closed, or the thread as JSON', async () => {
  const at = await withTicket();
  at.answered();
  expect((await at.svc('watch ID')).stdout).toContain(answer);
  expect(at.requests).toHaveLength(1);
  const result = await at.svc('watch ID --json');
  expect(JSON.parse(result.stdout)).toMatchObject({ ticket: { messages: [{}, {}] } });
  await at.close(at.id);
  const closed = await at.svc('watch ID');
  expect(closed.code).toBe(0);
  expect(closed.stdout).toContain(answer);
});

it('svc tickets watch ends with 8 at the deadline, after one last look, and says how to resume', async () => {
  const at = await withTicket();
  const begun = at.clock.now();
  expect(await at.svc('watch ID --timeout 14s')).toMatchObject({
    code: 8,
    stdout: '',
    stderr: `error: ${at.id} has no answer yet\nhint: continue waiting: \`svc tickets watch ${at.id}\`\n`,
  });
  expect(at.clock.now() - begun).toBe(14_000);
});

it('svc tickets watch ends when the ticket is closed, which brings no answer', async () => {
  const at = await withTicket();
  await at.close(at.id);
  const { code, stderr } = await at.svc('watch ID');
  expect(code).toBe(3);
  expect(stderr).toContain(`: \`svc tickets create --follow-up ${at.id}\`\n`);
});

it('svc tickets watch ends within 200 ms of Ctrl-C, and says how to come back', async () => {
  const at = await withTicket();
  const interrupt = new AbortController();
  let interruptedAt = 0;
  const first = () => {
    // While it waits for the next time to ask.
    setTimeout(() => {
      interruptedAt = performance.now();
      interrupt.abort(new Interrupted('SIGINT'));
    }, 100);
  };
  at.on('tickets.get', { first });
  const result = await at.svc('watch ID', { clock: systemClock, signal: interrupt.signal });
  expect(performance.now() - interruptedAt).toBeLessThan(200);
  expect(result).toMatchObject({
    code: 130,
    stdout: '',
    stderr: `the ticket is unchanged; to continue: svc tickets watch ${at.id}\n`,
  });
});

it.each([
  [
    'create --subject Slow --message "It is slow."',
    'the same command does not open a second one\n',
  ],
  ['reply ID "It is slow."', 'in the thread; to check: svc tickets show ID\n'],
])(
  'Ctrl-C while a ticket is being sent says what may have happened to it: svc tickets %s',
  async (line, words) => {
    const at = await withTicket();
    const interrupt = new AbortController();
    at.on(/^POST/, { first: () => interrupt.abort(new Interrupted('SIGINT')) });
    const { code, stderr } = await at.svc(line, { signal: interrupt.signal });
    expect(code).toBe(130);
    expect(stderr).toContain(words.replace('ID', at.id));
    expect(at.posted()).toHaveLength(1);
  },
);

it('svc tickets close closes a ticket, as often as requested, also after a dropped connection', async () => {
  const at = await withTicket();
  at.on('tickets.close', { drop: 'answer', times: 2 });
  const { stdout } = await at.svc('close ID --json');
  expect(JSON.parse(stdout)).toMatchObject({ ticket: { status: 'closed' } });
  const again = { code: 0, stdout: '', stderr: `${at.id} is closed\n` };
  expect(await at.svc('close ID')).toMatchObject(again);
});
