import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { chunks, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { eventLoopTurns } from './scene.js';

const delta = (type: string, fields: object) => `data: ${JSON.stringify({ type, ...fields })}\n\n`;
const starts = {
  chat: chunks('Hello, wor'),
  messages:
    delta('message_start', { message: { id: 'm', usage: { output_tokens: 0 } } }) +
    delta('content_block_delta', { index: 0, delta: { text: 'Hello, wor' } }),
  responses: delta('response.output_text.delta', { delta: 'Hello, wor' }),
};

/** Runs a line against a service that begins an answer, and interrupts it there. */
async function interrupted(line: string, start = starts.chat, options: RunOptions = {}) {
  const interrupt = new AbortController();
  const { env, requests } = await fakeService((request, response) => {
    if (request.method === 'GET') {
      json({ id: 'gen_1', priceRub: 1.25, balance_rub: 7.5, currency: 'RUB' })(request, response);
      return;
    }
    const id = { 'x-svc-generation-id': 'gen_1' };
    response.writeHead(200, { 'content-type': 'text/event-stream', ...id });
    response.write(start);
    void eventLoopTurns().then(() => interrupt.abort(new Interrupted('SIGINT')));
  });
  const result = await run(line, { ...options, env, signal: interrupt.signal });
  return { ...result, sent: requests.length };
}

const about =
  'stopped after about 3 output tokens, which may have been charged: `svc usage list` shows it\n';

test.each(Object.entries(starts))(
  'an interrupted answer keeps its text and says how much arrived, in the format %s',
  async (format, start) => {
    const shown = await interrupted(`chat -m v --format ${format} hi`, start);
    expect(shown).toMatchObject({ code: 130, stdout: 'Hello, wor\n', stderr: about, sent: 1 });
    const asJson = await interrupted(`chat -m v --format ${format} --json hi`, start);
    expect(asJson).toMatchObject({ code: 130, stderr: about });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ text: 'Hello, wor', complete: false });
  },
);

test('an interrupted answer names the number of tokens where the service counts them', async () => {
  const usage = `data: ${JSON.stringify({ choices: [], usage: { completion_tokens: 34 } })}\n\n`;
  const { stderr } = await interrupted('chat -m v hi', starts.chat + usage);
  expect(stderr).toBe(about.replace('about 3', '34'));
});

test('an interrupted answer says where the text of -o is', async () => {
  const path = join(testFolder(), 'a');
  const { stdout, stderr } = await interrupted(`chat -m v -o ${path} hi`);
  expect(stdout).toBe('');
  expect(stderr).toBe(`the text so far is in ${path}.part\n${about}`);
  expect(readFileSync(`${path}.part`, 'utf8')).toBe('Hello, wor');
});

test('an interrupted answer says on a terminal what it cost, which takes two requests', async () => {
  const tty = { stdin: true, stderr: true };
  const shown = await interrupted('chat -m v hi', starts.chat, { tty });
  expect(shown).toMatchObject({ stderr: `${about}1.25 RUB · balance 7.50 RUB\n`, sent: 3 });
});
