import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { HeldClock, startPeer } from '../peer.js';
import { rejection } from '../../../http/rig.js';
import { openai, user } from './client.js';

const chatBody = { model: 'local/script', messages: [user('hello')] };
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

/** What the package makes of streams that break. */
export function brokenStreamTests(): void {
  it('raises an error in the middle of a chat stream, after the text before it', async () => {
    const peer = await startPeer({ rules: [{ reply: 'so far so good', error: overloaded }] });
    const { result } = await peer.paid(async () =>
      readUntilEnd(await openai(peer).chat.completions.create({ ...chatBody, stream: true })),
    );
    expect(chatText(result.items)).toBe('so far so good');
    expect(result.error).toBeInstanceOf(OpenAI.APIError);
    expect(result.error).toMatchObject({ code: 'overloaded', type: 'overloaded_error' });
    expect(result.error instanceof Error && result.error.message).toContain('too much to do');
    const helper = openai(peer).chat.completions.stream(chatBody).finalChatCompletion();
    expect(await rejection(helper)).toBeInstanceOf(OpenAI.APIError);
  });

  it('stops the service in the middle of a stream when it aborts', async () => {
    const clock = new HeldClock();
    const peer = await startPeer({
      clock,
      rules: [{ reply: 'one two three', chunkDelayMs: 1000 }],
    });
    const { result } = await peer.paid(async () => {
      const stream = await openai(peer).chat.completions.create({ ...chatBody, stream: true });
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
        openai(peer).chat.completions.create(chatBody, { signal: giveUp.signal }),
      );
      await clock.begun;
      giveUp.abort();
      await clock.stopped;
      return answer;
    });
    expect(error).toBeInstanceOf(OpenAI.APIUserAbortError);
  });
}
