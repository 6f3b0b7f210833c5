import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { PriceTooHigh } from '../../src/errors.js';
import { Sql } from '../../src/lib/sql.js';
import { StateDatabase } from '../../src/state/database.js';
import { pathsFrom } from '../../src/state/paths.js';
import { run } from '../helpers/run.js';
import { account, request, says, scene } from './turn-log-scene.js';

const call = {
  type: 'tool_call',
  index: 0,
  id: 'call_1',
  name: 'ls',
  arguments: '{"a":1}',
} as const;
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const toolCall = { id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{"a":1}' } };
const result = { role: 'tool', tool_call_id: 'call_1', content: 'a.txt' };
const chat = (...messages: object[]) => ({
  tools: [{ type: 'function', function: { name: 'ls', parameters: {} } }],
  messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
});

const count = (home: string, table: string) =>
  new StateDatabase(pathsFrom({ SVC_CONFIG_DIR: home })).all(
    z.object({ n: z.number() }),
    `SELECT count(*) AS n FROM ${table}`,
  )[0]?.n;

describe('the log of a program', () => {
  it('has each turn with what is new in it, its program, tokens and price', async () => {
    const { home, log, turnLog } = scene();
    const first = request('chat', chat(user('list it')), [call]);
    const second = request(
      'chat',
      chat(user('list it'), { role: 'assistant', content: null, tool_calls: [toolCall] }, result),
      says('One file.'),
      { priceRub: 0.25 },
    );
    turnLog.onEnd(first);
    turnLog.onEnd(second);
    turnLog.onPrice(Object.assign(first, { sent: undefined, answer: undefined, priceRub: 0.5 }));
    await turnLog.finish();
    expect(log.turns({})).toMatchObject([
      { id: 2, parent: 1, conversation: 1, question: '(results of tools: 1)', priceRub: 0.25 },
      { id: 1, parent: null, conversation: 1, question: 'list it', priceRub: 0.5, ms: 300 },
    ]);
    expect(log.turn(2)).toMatchObject({ program: 'codex', inputTokens: 10, outputTokens: 2 });
    // The request without its messages, two messages and two answers.
    expect(count(home, 'contents')).toBe(5);
    const { stdout } = await run('logs show c1', { home });
    expect(stdout).toContain('## System prompt\n\nBe brief.\n\n## Question\n\nlist it\n');
    expect(stdout).toContain('"name":"ls"');
    expect(stdout).toContain('"text":"a.txt"');
    expect(stdout).toContain('One file.\n\n*c1, turn 2 · codex · ');
  });

  it('stores each message of a long conversation once', async () => {
    const { home, log, turnLog } = scene();
    const messages: object[] = [user('start')];
    for (let nth = 0; nth < 300; nth += 1) {
      turnLog.onEnd(request('chat', chat(...messages), says(`answer ${nth}`)));
      messages.push(assistant(`answer ${nth}`), user(`question ${nth}`));
    }
    await turnLog.finish();
    expect(log.conversations(9)).toMatchObject([{ id: 1, head: 300, turns: 300 }]);
    expect(count(home, 'contents')).toBe(601);
    expect(log.thread(300)).toHaveLength(300);
  });

  it('begins a conversation for each thread, and for a second continuation', async () => {
    const { log, turnLog } = scene();
    const title = { messages: [user('Name it'), user('list it')] };
    const start = [user('list it'), assistant('Done.')];
    turnLog.onEnd(request('chat', chat(user('list it')), says('Done.')));
    turnLog.onEnd(request('chat', title, says('A list')));
    turnLog.onEnd(request('chat', chat(...start, user('more?')), says('No.')));
    turnLog.onEnd(request('chat', chat(...start, user('what next?')), says('Nothing.')));
    turnLog.onEnd(
      request('chat', chat(...start, user('more?'), assistant('No.'), user('ok')), says('!')),
    );
    await turnLog.finish();
    const placed = log.turns({}).map(({ id, conversation, parent }) => [id, conversation, parent]);
    expect(placed.reverse()).toEqual([
      [1, 1, null],
      [2, 2, null],
      [3, 1, 1],
      [4, 3, 1],
      [5, 1, 3],
    ]);
  });

  it('leaves out what was refused or is no conversation, and keeps what was cut off', async () => {
    const { log, turnLog } = scene();
    const asked = chat(user('hi'));
    const refusal = new PriceTooHigh('over the ceiling', { hint: '' });
    turnLog.onEnd(request('chat', asked, [], { status: 402, refusal, generationId: undefined }));
    turnLog.onEnd(request('chat', asked, [], { status: 500, generationId: undefined }));
    turnLog.onEnd(request('chat', asked, [], { row: undefined, status: 404 }));
    turnLog.onEnd(request('chat', asked, says('Hal'), { isWhole: false }));
    turnLog.onEnd(request('chat', '{"messages":', says('What?'), { model: undefined }));
    const nest = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    turnLog.onEnd(request('chat', `{"messages":[],"tools":${nest}}`, says('What?')));
    await turnLog.finish();
    expect(log.turns({})).toMatchObject([
      { question: '', model: 'local/echo', isComplete: 1 },
      { question: '', model: '', isComplete: 1 },
      { question: 'hi', isComplete: 0 },
    ]);
  });

  it('keeps no image, and says so where the conversation is continued', async () => {
    const { home, log, turnLog } = scene();
    const data = 'A'.repeat(100_000);
    const url = `data:image/png;base64,${data}`;
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const shown = { type: 'tool_result', tool_use_id: 't', content: [image] };
    const words = { type: 'text', text: 'what is it?' };
    turnLog.onEnd(
      request('chat', chat(user([words, { type: 'image_url', image_url: { url } }])), says('?')),
    );
    turnLog.onEnd(request('messages', { messages: [user([image, words])] }, says('?')));
    turnLog.onEnd(request('messages', { messages: [user([shown, words])] }, says('?')));
    const item = user([
      { type: 'input_image', image_url: url },
      { type: 'input_text', text: 'so?' },
    ]);
    turnLog.onEnd(request('responses', { input: [item] }, says('?')));
    await turnLog.finish();
    const sizes = z.object({ n: z.number() });
    const [longest] = new StateDatabase(pathsFrom({ SVC_CONFIG_DIR: home })).all(
      sizes,
      'SELECT max(length(content)) AS n FROM contents',
    );
    expect(longest?.n).toBeLessThan(500);
    expect(log.turns({}).map(({ question }) => question)).toContain('what is it?');
    expect((await run('logs show 1', { home })).stdout).toContain('[image: not kept]');
    for (const id of ['c1', 'c2', 'c3', 'c4']) {
      const line = `--local chat --conversation ${id} -m local/echo --dry-run more`;
      expect((await run(line, { home })).stdout).toMatch(/an image that was not kept|\[image\]/);
    }
  });

  it('never fails or delays a request for a log that is locked', async () => {
    const { log, paths, turnLog, warnings } = scene();
    log.add({
      ...{ account, parent: null, atMs: 1, model: 'm', format: 'chat', request: {}, asked: [] },
      ...{ question: '', answer: '', generationId: null, priceRub: 0, inputTokens: 0 },
      ...{ outputTokens: 0, ms: 0, finishReason: null, isComplete: true },
    });
    const other = new Sql(log.path);
    other.exec('BEGIN IMMEDIATE');
    const startMs = performance.now();
    const first = request('chat', chat(user('hi')), says('Hello.'));
    turnLog.onEnd(first);
    await new Promise(setImmediate);
    expect(performance.now() - startMs).toBeLessThan(500);
    other.exec('COMMIT');
    turnLog.onEnd(
      request('chat', chat(user('hi'), assistant('Hello.'), user('so?')), says('Yes.')),
    );
    await new Promise(setImmediate);
    expect(log.thread(3).map(({ question }) => question)).toEqual(['hi', 'so?']);
    other.exec('BEGIN IMMEDIATE');
    turnLog.onEnd(request('chat', chat(user('again')), says('Yes.')));
    await turnLog.finish();
    expect(warnings).toEqual([
      `1 turn could not be logged: the log ${new StateDatabase(paths).path} cannot be written: another svc is using it`,
    ]);
    other.close();
  });

  it('says once that the disk was full, and how many turns are lost', async () => {
    const { log, paths, turnLog, warnings } = scene();
    turnLog.onEnd(request('chat', chat(user('hi')), says('Hello.')));
    await new Promise(setImmediate);
    new StateDatabase(paths).exec('PRAGMA max_page_count = 1');
    for (const words of ['a', 'b']) {
      turnLog.onEnd(request('chat', chat(user(words.repeat(100_000))), says('Hello.')));
    }
    await turnLog.finish();
    const why = `the log ${log.path} cannot be written: the disk is full`;
    expect(warnings).toEqual([`2 turns could not be logged: ${why}`]);
    expect(log.turns({})).toMatchObject([{ question: 'hi' }]);
  });
});
