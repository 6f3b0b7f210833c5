import { expect, it } from 'vitest';
import { answerCache } from '../../src/api/cache.js';
import { createSpeech, createTranscription } from '../../src/contract/audio.js';
import { countTokens, createChatCompletion } from '../../src/contract/chat.js';
import { createImage } from '../../src/contract/images.js';
import { generateMedia } from '../../src/contract/media.js';
import { multipart } from '../../src/http/request-body.js';
import type { HttpRequest } from '../../src/http/types.js';

/** The key of each request, in order. */
async function keysOf(requests: readonly Partial<HttpRequest>[], account = ['service', 'hash']) {
  const keys: string[] = [];
  const store = {
    maxAnswerBytes: 100,
    find: (key: string) => void keys.push(key),
    keep: () => undefined,
    forget: () => undefined,
    flush: () => Promise.resolve(),
  };
  const cache = answerCache(store, account);
  const usual = { method: 'POST', url: new URL('http://host/v1/chat'), headers: {} };
  const timeouts = { connectMs: 0, firstByteMs: 0, idleMs: 0 };
  for (const one of requests)
    await cache.about(createChatCompletion, { ...usual, timeouts, ...one });
  return keys;
}

it.each([
  ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', true],
  ['{"n":12345678901234567890}', '{"n":12345678901234567891}', false],
  ['{"n":1.10}', '{"n":1.1}', false],
  ['{"a":[1,2]}', '{"a":[2,1]}', false],
  ['{"a":"1"}', '{"a":1}', false],
  ['no JSON', 'no JSON', true],
])('the bodies %s and %s are the same request: %s', async (one, other, areSame) => {
  const [first, second] = await keysOf([{ body: one }, { body: other }]);
  expect(first === second).toBe(areSame);
});

it('tells requests apart by what decides their answer, and by nothing else', async () => {
  const body = '{"a":1}';
  const headers = (more: Record<string, string>) => ({ body, headers: more });
  const [plain, ...same] = await keysOf([
    { body },
    headers({ authorization: 'Bearer x', 'user-agent': 'svc-cli/2', 'idempotency-key': 'k' }),
  ]);
  expect(same).toEqual([plain]);
  const others = await keysOf([
    headers({ accept: 'text/event-stream' }),
    { body, method: 'PUT' },
    { body, url: new URL('http://host/v1/chat?x=1') },
    { body: Buffer.from('{"a":2}') },
  ]);
  const [ofOther] = await keysOf([{ body }], ['service', 'other']);
  expect(new Set([plain, ofOther, ...others]).size).toBe(6);
});

it('tells forms apart by their fields and files, not by their boundary', async () => {
  const form = (model: string, bytes: string) =>
    multipart(
      [['model', model]],
      [{ field: 'file', filename: 'a.wav', type: 'audio/wav', content: Buffer.from(bytes) }],
    );
  const forms = [form('m', 'one'), form('m', 'one'), form('n', 'one'), form('m', 'two')];
  const [one, again, ...others] = await keysOf(forms.map(({ body }) => ({ body })));
  expect(again).toBe(one);
  expect(new Set([one, ...others]).size).toBe(3);
});

it('is for answers that are the same whenever they come, not for jobs and links', async () => {
  const store = {
    maxAnswerBytes: 100,
    find: () => undefined,
    keep: () => undefined,
    forget: () => undefined,
    flush: () => Promise.resolve(),
  };
  const cache = answerCache(store, []);
  const timeouts = { connectMs: 0, firstByteMs: 0, idleMs: 0 };
  const request = { method: 'POST', url: new URL('http://host/'), headers: {}, timeouts };
  const isKept = async (row: Parameters<typeof cache.about>[0]) =>
    (await cache.about(row, request)) !== undefined;
  for (const row of [createChatCompletion, createSpeech, createTranscription])
    expect(await isKept(row)).toBe(true);
  for (const row of [createImage, generateMedia, countTokens])
    expect(await isKept(row)).toBe(false);
});
