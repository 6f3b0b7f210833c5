import { describe, expect, it } from 'vitest';
import { drop, editorThatWrites, images, scene, type FakeTicket } from './scene.js';

const open = (): FakeTicket => ({
  id: 'ticket_1',
  status: 'open',
  subject: 'Slow',
  category: 'performance',
  messages: [{ author: 'client', body: 'They are slow.' }],
});
const closed = (): FakeTicket => ({ ...open(), status: 'closed' });
const post = 'POST /v1/tickets/ticket_1/messages';
const get = 'GET /v1/tickets/ticket_1';

describe('svc tickets reply', () => {
  it.each([
    ['words', ['reply', 'ticket_1', 'It', 'works again.'], undefined, 'It works again.'],
    ['what is piped in', ['reply', 'ticket_1'], ' It works.\n', ' It works.\n'],
    ['-f -', ['reply', 'ticket_1', '-f', '-'], 'It works.\n', 'It works.\n'],
  ])('adds %s, once', async (_, line, stdin, message) => {
    const at = await scene(open());
    const result = await at.svc(line, stdin === undefined ? {} : { stdin });
    expect(result).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'the message is in ticket_1\n',
    });
    expect(at.posted()).toEqual([{ message }]);
    expect(at.calls()).toEqual([get, post]);
  });

  it('sends images with it, and gives the thread as it came under --json', async () => {
    const at = await scene(open());
    const image = at.file('log.gif', images.gif);
    const result = await at.svc(['reply', 'ticket_1', 'See.', '--attach', image, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({
      ticket: { id: 'ticket_1', messages: [{ id: 'm1' }, { id: 'm2', body: 'See.' }] },
    });
    expect(at.requests[1]?.body).toContain('name="message"\r\n\r\nSee.\r\n');
    expect(at.requests[1]?.body).toContain('filename="log.gif"\r\nContent-Type: image/gif');
  });

  it('is written in the editor, beside the last message', async () => {
    const at = await scene(open());
    const result = await at.svc('reply ticket_1', {
      tty: true,
      env: { NO_COLOR: '1', ...editorThatWrites('\nIt works.\n\n') },
    });
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(at.posted()).toEqual([{ message: 'It works.' }]);
  });
});

describe('a reply whose answer is lost', () => {
  it('is not sent again when it is in the thread', async () => {
    const at = await scene(open());
    at.instead = ({ method }, response) => method === 'POST' && drop(response);
    const result = await at.svc('reply ticket_1 "It works."');
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(result.stderr).toBe(
      [
        'no answer; checking whether the message is in the thread',
        'the message is in the thread and is not sent again',
        'the message is in ticket_1',
        '',
      ].join('\n'),
    );
    expect(at.calls()).toEqual([get, post, get]);
    expect(at.tickets[0]?.messages).toHaveLength(2);
  });

  it('is distinguished from an earlier message with the same words', async () => {
    const at = await scene(open());
    at.instead = ({ method }, response) => {
      if (method !== 'POST') return false;
      at.tickets[0]?.messages.pop();
      return drop(response);
    };
    const result = await at.svc('reply ticket_1 "They are slow."');
    expect(result).toMatchObject({ code: 10, stdout: '' });
    expect(result.stderr).toMatch(
      /error: .*; the message is not in the thread yet\nhint: check the thread before you send it again: `svc tickets show ticket_1`\n$/,
    );
    expect(at.calls()).toEqual([get, post, get, get, get]);
  });

  it('is found when it appears late', async () => {
    const at = await scene(open());
    let late: { author: string; body: string } | undefined;
    at.instead = ({ method }, response) => {
      if (method === 'POST') {
        late = at.tickets[0]?.messages.pop();
        return drop(response);
      }
      if (at.requests.length === 4 && late) at.tickets[0]?.messages.push(late);
      return false;
    };
    const result = await at.svc('reply ticket_1 "It works."');
    expect(result.code).toBe(0);
    expect(at.calls()).toEqual([get, post, get, get, get]);
  });

  it('is unknown when the thread cannot be read', async () => {
    const at = await scene(open());
    let isDown = false;
    at.instead = ({ method }, response) => {
      isDown ||= method === 'POST';
      return isDown && drop(response);
    };
    const result = await at.svc('reply ticket_1 "It works." --json');
    expect(result).toMatchObject({ code: 10, stdout: '' });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: {
        exit: 10,
        code: 'reply_unknown',
        message: expect.stringContaining('the thread could not be read'),
      },
    });
    expect(at.calls().filter((call) => call === post)).toHaveLength(1);
  });
});

describe('a closed ticket', () => {
  const question =
    'ticket_1 is closed and accepts no messages. Open a new ticket that refers to it?';

  it('prints the command that opens a new one, without a terminal', async () => {
    const at = await scene(closed());
    const image = at.file('a b.png', images.png);
    const result = await at.svc(['reply', 'ticket_1', "It's slow.", '--attach', image]);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toBe(
      `error: ticket_1 is closed and accepts no messages\nhint: open a new ticket that refers to it: \`svc tickets create --follow-up ticket_1 --message 'It'\\''s slow.' --attach '${image}'\`\n`,
    );
    expect(at.calls()).toEqual([get]);
  });

  it('is found closed by a 409 too', async () => {
    const at = await scene(open());
    at.instead = ({ method }, response) => {
      if (method !== 'POST') return false;
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end('{"error":"closed","code":"ticket_closed"}');
      return true;
    };
    const result = await at.svc('reply ticket_1', { stdin: 'Slow again.' });
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toContain('`svc tickets create --follow-up ticket_1 -f -`');
  });

  it('is reported before a message is written in the editor, not after', async () => {
    const at = await scene(closed());
    const env = { NO_COLOR: '1', ...editorThatWrites('Slow again.') };
    const no = await at.svc('reply ticket_1', { tty: true, env, typed: [[question, 'n\n']] });
    expect(no).toMatchObject({ code: 3, stdout: '' });
    expect(no.stderr).toContain(
      'open a new ticket that refers to it: `svc tickets create --follow-up ticket_1`',
    );
    expect(at.calls()).toEqual([get]);
    const yes = await at.svc('reply ticket_1', { tty: true, env, typed: [[question, 'y\n']] });
    expect(yes).toMatchObject({ code: 0, stdout: 'ticket_2\n' });
    expect(at.posted()).toEqual([
      {
        subject: 'Re: Slow',
        message: 'Slow again.\n\n(This follows ticket_1, which is closed.)',
        category: 'performance',
        clientIncidentId: expect.stringMatching(/^svc-/),
      },
    ]);
  });
});
