import { expect, it } from 'vitest';
import { startPeer } from '../peer.js';
import { openai, user } from './client.js';

const text = 'Ünïcödé 🌍 and "quotes"\n\tin a few words, byte for byte';

/** What the package does with chat completions. */
export function chatTests(): void {
  it('answers in one piece, and as a stream that the helper assembles', async () => {
    const peer = await startPeer();
    const deltas: string[] = [];
    const { completions } = openai(peer).chat;
    const { result: whole } = await peer.paid(() =>
      completions.create({ model: 'local/echo', messages: [user(text)] }),
    );
    expect(whole.choices[0]).toMatchObject({ message: { role: 'assistant', content: text } });
    const { result, record } = await peer.paid(async () => {
      const stream = completions.stream({
        model: 'local/echo',
        messages: [user(text)],
        stream_options: { include_usage: true },
      });
      stream.on('content', (delta) => deltas.push(delta));
      return { completion: await stream.finalChatCompletion(), usage: await stream.totalUsage() };
    });
    expect(result.completion.choices[0]?.message.content).toBe(text);
    expect(deltas.join('')).toBe(text);
    expect(deltas.length).toBeGreaterThan(5);
    expect(result.usage).toMatchObject({
      prompt_tokens: record.promptTokens,
      completion_tokens: record.completionTokens,
    });
  });
}
