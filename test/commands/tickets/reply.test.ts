import { expect, it } from 'vitest';
import { editorThatWrites, images, scene } from './scene.js';

const subject = 'Slow';
const message = 'They are slow.';

/** A ticket about slow answers, open or closed. */
async function withTicket(isClosed = false) {
  const at = await scene();
  const id = await at.open({ subject, message, category: 'performance' });
  if (isClosed) await at.close(id);
  const reply = (...words: string[]) => at.svc(['reply', id, ...words]);
  const messages = async () => (await at.thread(id))['messages'];
  return {
    ...at,
    id,
    reply,
    messages,
    get: `GET /v1/tickets/${id}`,
    post: `POST /v1/tickets/${id}/messages`,
  };
}

it.each([
  ['words', ['It', 'works again.'], undefined, 'It works again.'],
  ['what is piped in', [], ' It works.\n', ' It works.\n'],
  ['-f -', ['-f', '-'], 'It works.\n', 'It works.\n'],
])('svc tickets reply adds %s, once', async (_, words, stdin, body) => {
  const at = await withTicket();
  expect(await at.svc(['reply', at.id, ...words], { stdin })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `the message is in ${at.id}\n`,
  });
  expect(at.posted()).toEqual([{ message: body }]);
  expect(at.calls()).toEqual([at.get, at.post]);
});

it('svc tickets reply sends images with it, and gives the thread as it came under --json', async () => {
  const at = await withTicket();
  const image = at.file('log.gif', images.gif);
  const result = await at.reply('See.', '--attach', image, '--json');
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toMatchObject({
    ticket: {
      messages: [{}, { body: 'See.', attachments: [{ mimeType: 'image/gif' }] }],
    },
  });
});

it('svc tickets reply is written in the editor, beside the last message', async () => {
  const at = await withTicket();
  const env = editorThatWrites('\nIt works.\n\n');
  const result = await at.svc(['reply', at.id], { tty: true, env });
  expect(result).toMatchObject({ code: 0, stdout: '' });
  expect(at.posted()).toEqual([{ message: 'It works.' }]);
});

it('a reply whose answer is lost is not sent again when it is in the thread', async () => {
  const at = await withTicket();
  at.on('tickets.reply', { drop: 'answer' });
  const result = await at.reply('It works.');
  expect(result).toMatchObject({ code: 0, stdout: '' });
  expect(result.stderr).toBe(
    [
      'no answer; checking whether the message is in the thread',
      'the message is in the thread and is not sent again',
      `the message is in ${at.id}`,
      '',
    ].join('\n'),
  );
  expect(at.calls()).toEqual([at.get, at.post, at.get]);
  expect(await at.messages()).toHaveLength(2);
});

it('a reply whose answer is lost is distinguished from an earlier message with the same words', async () => {
  const at = await withTicket();
  at.on('tickets.reply', { drop: 'request' });
  const { code, stderr } = await at.reply(message);
  expect(code).toBe(10);
  expect(stderr).toContain(`before you send it again: \`svc tickets show ${at.id}\`\n`);
  expect(at.calls()).toEqual([at.get, at.post, at.get, at.get, at.get]);
});

it('a reply whose answer is lost is found when it appears late', async () => {
  const at = await withTicket();
  at.on('tickets.reply', { drop: 'request' });
  at.on('tickets.get', {
    first: (_seen, count) =>
      count === 3 && at.ask('POST', at.post.slice(5), { message: 'It works.' }),
  });
  expect((await at.reply('It works.')).code).toBe(0);
  expect(at.calls()).toEqual([at.get, at.post, at.get, at.get]);
});

it('a reply whose answer is lost is unknown when the thread cannot be read', async () => {
  const at = await withTicket();
  const down = () => at.on('tickets.get', { drop: 'request' });
  at.on('tickets.reply', { first: down, drop: 'request' });
  const result = await at.reply('It works.', '--json');
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: {
      exit: 10,
      code: 'reply_unknown',
      message: expect.stringContaining('the thread could not be read'),
    },
  });
  expect(at.posted()).toHaveLength(1);
});

it('a closed ticket prints the command that opens a new one, without a terminal', async () => {
  const at = await withTicket(true);
  const image = at.file('a b.png', images.png);
  expect(await at.reply("It's slow.", '--attach', image)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: `error: ${at.id} is closed and accepts no messages\nhint: open a new ticket that refers to it: \`svc tickets create --follow-up ${at.id} --message 'It'\\''s slow.' --attach '${image}'\`\n`,
  });
  expect(at.calls()).toEqual([at.get]);
});

it('a closed ticket is found closed by a 409 too', async () => {
  const at = await withTicket();
  at.on('tickets.reply', { first: () => at.close(at.id) });
  const result = await at.svc(['reply', at.id], { stdin: 'Slow again.' });
  expect(result).toMatchObject({ code: 3, stdout: '' });
  expect(result.stderr).toContain(`\`svc tickets create --follow-up ${at.id} -f -\``);
});

it('a closed ticket is reported before a message is written in the editor, not after', async () => {
  const at = await withTicket(true);
  const answering = (keys: string) =>
    at.svc(['reply', at.id], {
      tty: true,
      env: editorThatWrites('Slow again.'),
      typed: [['is closed and accepts no messages', keys]],
    });
  const no = await answering('n\n');
  expect(no).toMatchObject({ code: 3, stdout: '' });
  expect(no.stderr).toContain(`\`svc tickets create --follow-up ${at.id}\``);
  expect(at.calls()).toEqual([at.get]);
  expect(await answering('y\n')).toMatchObject({ code: 0 });
  expect(at.posted()).toEqual([
    {
      subject: 'Re: Slow',
      message: `Slow again.\n\n(This follows ${at.id}, which is closed.)`,
      category: 'performance',
      clientIncidentId: expect.stringMatching(/^svc-/),
    },
  ]);
});
