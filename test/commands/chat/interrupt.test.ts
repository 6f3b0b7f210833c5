import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { chunks, fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';

const usage = `data: ${JSON.stringify({ choices: [], usage: { completion_tokens: 34 } })}\n\n`;
const delta = (type: string, fields: object) => `data: ${JSON.stringify({ type, ...fields })}\n\n`;
const starts = {
  chat: chunks('Hello, wor'),
  messages:
    delta('message_start', { message: { id: 'm', usage: { output_tokens: 0 } } }) +
    delta('content_block_delta', { index: 0, delta: { text: 'Hello, wor' } }),
  responses: delta('response.output_text.delta', { delta: 'Hello, wor' }),
};
const generation = { 'x-svc-generation-id': 'gen_1' };
const record: Answer = (request, response) => {
  const isBalance = request.url === '/v1/balance';
  const reply = isBalance ? { balance_rub: 7.5, currency: 'RUB' } : { id: 'gen_1', priceRub: 1.25 };
  json(reply)(request, response);
};

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Told extends RunOptions {
  start?: string;
  headers?: Record<string, string>;
  lookUp?: Answer;
}

/** Runs a line against a service that begins an answer, and interrupts it there. */
async function interrupted(
  line: string,
  { start = starts.chat, headers = {}, lookUp = record, ...options }: Told = {},
) {
  const interrupt = new AbortController();
  const service = await fakeService((request, response) => {
    if (request.method === 'GET') {
      lookUp(request, response);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.write(start);
    // svc reads it in one of the next turns of the event loop, which both share.
    void turns(50).then(() => interrupt.abort(new Interrupted('SIGINT')));
  });
  const { env } = service;
  const result = await run(line, { ...options, env, signal: interrupt.signal });
  return { ...result, asked: service.requests.length };
}

const about =
  'stopped after about 3 output tokens, which may have been charged: `svc usage list` shows it\n';
const terminal = { tty: { stdin: true, stderr: true } };

describe('a user who interrupts an answer', () => {
  it.each(['chat', 'messages', 'responses'] as const)(
    'keeps its text and reads how much arrived, in the format %s',
    async (format) => {
      const start = starts[format];
      const shown = await interrupted(`chat -m v --format ${format} hi`, { start });
      expect(shown).toMatchObject({ code: 130, stdout: 'Hello, wor\n', stderr: about });
      const asJson = await interrupted(`chat -m v --format ${format} --json hi`, { start });
      expect(asJson).toMatchObject({ code: 130, stderr: about, asked: 1 });
      expect(JSON.parse(asJson.stdout)).toMatchObject({ text: 'Hello, wor', complete: false });
    },
  );

  it('reads the number of tokens where the service counts them', async () => {
    const { stderr } = await interrupted('chat -m v hi', { start: starts.chat + usage });
    expect(stderr).toBe(about.replace('about 3', '34'));
  });

  it('reads where the text of -o is', async () => {
    const path = join(testFolder(), 'a');
    const { stdout, stderr } = await interrupted(`chat -m v -o ${path} hi`);
    expect({ stdout, stderr }).toEqual({
      stdout: '',
      stderr: `the text so far is in ${path}.part\n${about}`,
    });
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('Hello, wor');
  });

  it('reads on a terminal what it cost; a script sends no more requests', async () => {
    const shown = await interrupted('chat -m v hi', { ...terminal, headers: generation });
    const stderr = `${about}1.25 RUB · balance 7.50 RUB\n`;
    expect(shown).toMatchObject({ stderr, asked: 3 });
    const piped = await interrupted('chat -m v hi', { headers: generation });
    expect(piped).toMatchObject({ stderr: about, asked: 1 });
  });
});
