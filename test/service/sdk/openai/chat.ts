import { expect, it } from 'vitest';
import { startPeer } from '../peer.js';
import { openai, user } from './client.js';

const text = 'Ünïcödé 🌍 and "quotes"\n\tin a few words, byte for byte';

/** What the package does with chat completions. */
export function chatTests(): void {
  it('answers in one piece', async () => {
    const peer = await startPeer();
    const { result, record } = await peer.paid(() =>
      openai(peer).chat.completions.create({ model: 'local/echo', messages: [user(text)] }),
    );
    expect(result.object).toBe('chat.completion');
    expect(result.model).toBe('local/echo');
    expect(result.choices).toHaveLength(1);
    expect(result.choices[0]).toMatchObject({
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: text },
    });
    expect(result.usage).toMatchObject({
      prompt_tokens: record.promptTokens,
      completion_tokens: record.completionTokens,
      total_tokens: record.promptTokens + record.completionTokens,
    });
  });

  it('assembles a stream with the helper', async () => {
    const peer = await startPeer();
    const deltas: string[] = [];
    const { result, record } = await peer.paid(async () => {
      const stream = openai(peer).chat.completions.stream({
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
