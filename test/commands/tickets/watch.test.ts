import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { systemClock } from '../../../src/lib/clock.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { drop, scene, type FakeTicket } from './scene.js';

const ticket = (): FakeTicket => ({
  id: 'ticket_1',
  status: 'open',
  messages: [
    { author: 'staff', body: 'Which model?' },
    { author: 'client', body: 'This one.' },
  ],
});
const answer = (...bodies: string[]) => bodies.map((body) => ({ author: 'staff', body }));

describe('svc tickets watch', () => {
  it('asks until there is an answer, and shows what is new', async () => {
    const at = await scene(ticket());
    at.instead = () => {
      if (at.requests.length === 4) at.tickets[0]?.messages.push(...answer('Thank you.', 'Done.'));
      return false;
    };
    const clock = new PollingClock();
    const result = await at.svc('watch ticket_1', { clock });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      '\nstaff · 2026-11-21 18:43 UTC\nThank you.\n\nstaff · 2026-11-21 18:43 UTC\nDone.\n',
    );
    expect(at.requests).toHaveLength(5);
    const waits = clock.sleeps.filter((ms) => ms <= 15_000 && ms !== 3000);
    expect(waits.slice(0, 4)).toEqual([1000, 1500, 2250, 3375]);
  });

  it('shows the last answer of a ticket that is answered, or the thread as JSON', async () => {
    const at = await scene({ ...ticket(), status: 'replied' });
    expect((await at.svc('watch ticket_1')).stdout).toContain('Which model?');
    expect(at.requests).toHaveLength(1);
    const result = await at.svc('watch ticket_1 --json');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({ ticket: { messages: [{}, {}] } });
  });

  it('ends with 8 at the deadline, after one last look, and says how to resume', async () => {
    const at = await scene(ticket());
    const clock = new PollingClock();
    const begun = clock.now();
    const result = await at.svc('watch ticket_1 --timeout 14s', { clock });
    expect(result).toMatchObject({
      code: 8,
      stdout: '',
      stderr:
        'error: ticket_1 has no answer yet\nhint: continue waiting: `svc tickets watch ticket_1`\n',
    });
    expect(clock.now() - begun).toBe(14_000);
  });

  it('ends when the ticket is closed, which brings no answer', async () => {
    const at = await scene({ ...ticket(), status: 'closed' });
    expect(await at.svc('watch ticket_1')).toMatchObject({
      code: 3,
      stdout: '',
      stderr:
        'error: ticket_1 is closed and will get no answer\nhint: open a new ticket that refers to it: `svc tickets create --follow-up ticket_1`\n',
    });
  });

  it('shows the answer with which it was closed', async () => {
    const closed = { ...ticket(), status: 'closed' };
    closed.messages.push(...answer('Done, closing.'));
    const at = await scene(closed);
    const result = await at.svc('watch ticket_1');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain('Done, closing.');
  });

  it('ends within 200 ms of Ctrl-C, and says how to come back', async () => {
    const at = await scene(ticket());
    const interrupt = new AbortController();
    let interruptedAt = 0;
    at.instead = () => {
      // While it waits for the next time to ask.
      setTimeout(() => {
        interruptedAt = performance.now();
        interrupt.abort(new Interrupted('SIGINT'));
      }, 100);
      return false;
    };
    const result = await at.svc('watch ticket_1', { clock: systemClock, signal: interrupt.signal });
    expect(performance.now() - interruptedAt).toBeLessThan(200);
    expect(result).toMatchObject({
      code: 130,
      stdout: '',
      stderr: 'the ticket is unchanged; to continue: svc tickets watch ticket_1\n',
    });
  });
});

describe('Ctrl-C while a ticket is being sent', () => {
  it.each([
    [
      'create --subject Slow --message "It is slow."',
      'the ticket may have been opened; the same command does not open a second one\n',
    ],
    [
      'reply ticket_1 "It is slow."',
      'the message may be in the thread; to check: svc tickets show ticket_1\n',
    ],
  ])('says what may have happened to it: %s', async (line, words) => {
    const at = await scene(ticket());
    const interrupt = new AbortController();
    at.instead = ({ method }) => {
      if (method === 'POST') interrupt.abort(new Interrupted('SIGINT'));
      return method === 'POST';
    };
    const result = await at.svc(line, { signal: interrupt.signal });
    expect(result).toMatchObject({ code: 130, stdout: '', stderr: words });
    expect(at.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('svc tickets close', () => {
  it('closes a ticket, as often as requested, also after a dropped connection', async () => {
    const at = await scene(ticket());
    at.instead = (_seen, response) => at.requests.length < 3 && drop(response);
    const result = await at.svc('close ticket_1 --json');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({ ticket: { status: 'closed' } });
    const again = { code: 0, stdout: '', stderr: 'ticket_1 is closed\n' };
    expect(await at.svc('close ticket_1')).toMatchObject(again);
    expect(at.tickets[0]?.status).toBe('closed');
  });
});
