import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { recordOf } from '../../../../src/lib/json.js';
import { keys } from '../../helpers.js';
import { HeldClock, skipWaits, startPeer, way } from '../peer.js';
import { rejection } from '../../../http/rig.js';
import { openai, user } from './client.js';

const hello = { model: 'local/echo', messages: [user('hello')] };
const scripted = { model: 'local/script', messages: [user('hello')] };
const wrongModel = { model: 'local/nobody', messages: [user('hello')] };
const noModel = { ...hello, model: '' };

const paths = ['chat', 'chat stream', 'responses', 'responses stream'] as const;

/** One call, by each way that the package has for it. */
function call(client: OpenAI, path: (typeof paths)[number], body: typeof hello) {
  const { messages, ...rest } = body;
  switch (path) {
    case 'chat':
      return client.chat.completions.create(body);
    case 'chat stream':
      return client.chat.completions.create({ ...body, stream: true });
    case 'responses':
      return client.responses.create({ ...rest, input: messages });
    case 'responses stream':
      return client.responses.create({ ...rest, input: messages, stream: true });
  }
}

/** Version 4 calls it as the service does. */
function requestIdOf(error: unknown): unknown {
  const { requestID, request_id: requestId } = recordOf(error);
  return requestID ?? requestId;
}

const overloaded = { status: 503, code: 'overloaded', message: 'too much to do' };

/** Reads a stream as far as it goes. */
async function readUntilEnd<Item>(
  items: AsyncIterable<Item>,
): Promise<{ items: Item[]; error?: unknown }> {
  const seen: Item[] = [];
  try {
    for await (const item of items) seen.push(item);
  } catch (error) {
    return { items: seen, error };
  }
  return { items: seen };
}

function chatText(chunks: readonly OpenAI.ChatCompletionChunk[]): string {
  return chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');
}

/** What the package raises when the service refuses or breaks off, and what it tries again. */
export function failureTests(): void {
  const refusals = [
    [400, 'BadRequestError', 'invalid_request', keys.local, noModel],
    [401, 'AuthenticationError', 'invalid_api_key', 'sk-svc-nobody', hello],
    [402, 'APIError', 'insufficient_balance', keys.empty, hello],
    [403, 'PermissionDeniedError', 'address_not_allowed', keys.blocked, hello],
    [404, 'NotFoundError', 'model_not_found', keys.local, wrongModel],
    [429, 'RateLimitError', 'rate_limit_exceeded', keys.limited, hello],
  ] as const;

  it.each(refusals)(
    'raises for %i its %s with the code %s, by each way to ask',
    async (status, name, code, key, body) => {
      const peer = await startPeer({ key });
      for (const path of paths) {
        const error = await peer.free(() => rejection(call(openai(peer, { key }), path, body)));
        expect(error, path).toBeInstanceOf(OpenAI[name]);
        expect(error, path).toMatchObject({ status, code });
        expect(requestIdOf(error), path).toMatch(/^req_/);
        expect(error instanceof Error && error.constructor.name).toBe(name);
        expect(error instanceof Error && error.message).toMatch(new RegExp(`^${status} \\w.{10,}`));
      }
    },
  );

  // The proxy waits and asks again itself.
  it.runIf(way.isDirect)(
    'waits as long as Retry-After says, then succeeds, and pays once',
    async () => {
      const waits = skipWaits();
      const peer = await startPeer({
        rules: [{ times: 2, error: { status: 429, retryAfter: 7 } }, { reply: 'there' }],
      });
      const { result } = await peer.paid(() =>
        openai(peer, { maxRetries: 2 }).chat.completions.create(scripted),
      );
      expect(result.choices[0]?.message.content).toBe('there');
      expect(waits).toEqual([7000, 7000]);
      expect(peer.exchanges).toHaveLength(3);
    },
  );

  it('raises an error in the middle of a chat stream, after the text before it', async () => {
    const peer = await startPeer({ rules: [{ reply: 'so far so good', error: overloaded }] });
    const { result } = await peer.paid(async () =>
      readUntilEnd(await openai(peer).chat.completions.create({ ...scripted, stream: true })),
    );
    expect(chatText(result.items)).toBe('so far so good');
    expect(result.error).toBeInstanceOf(OpenAI.APIError);
    expect(result.error).toMatchObject({ code: 'overloaded', type: 'overloaded_error' });
    expect(result.error instanceof Error && result.error.message).toContain('too much to do');
    const helper = openai(peer).chat.completions.stream(scripted).finalChatCompletion();
    expect(await rejection(helper)).toBeInstanceOf(OpenAI.APIError);
  });

  it('stops the service in the middle of a stream when it aborts', async () => {
    const clock = new HeldClock();
    const peer = await startPeer({
      clock,
      rules: [{ reply: 'one two three', chunkDelayMs: 1000 }],
    });
    const { result } = await peer.paid(async () => {
      const stream = await openai(peer).chat.completions.create({ ...scripted, stream: true });
      const seen: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of stream) {
        seen.push(chunk);
        if (chatText(seen) !== '') stream.controller.abort();
      }
      await clock.stopped;
      return seen;
    });
    expect(chatText(result)).toBe('one');
  });

  it('pays nothing for a call that it gives up before the answer begins', async () => {
    const clock = new HeldClock();
    const peer = await startPeer({ clock, rules: [{ reply: 'late', delayMs: 1000 }] });
    const error = await peer.free(async () => {
      const giveUp = new AbortController();
      const answer = rejection(
        openai(peer).chat.completions.create(scripted, { signal: giveUp.signal }),
      );
      await clock.begun;
      giveUp.abort();
      await clock.stopped;
      return answer;
    });
    expect(error).toBeInstanceOf(OpenAI.APIUserAbortError);
  });
}
