import type OpenAI from 'openai';
import { expect, it } from 'vitest';
import { startPeer } from '../peer.js';
import { text } from '../samples.js';
import { openai } from './client.js';

const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    strict: true,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
];

/** What the package does with responses. */
export function responseTests(major: number): void {
  it('gets the call of a custom tool beside tools that the service does not know, in a stream too', async () => {
    const toolCall = { name: 'patch', arguments: { input: 'a "b"' } };
    const peer = await startPeer({
      rules: [{ match: { last: 'tool' }, reply: text }, { toolCall }],
    });
    const custom = { type: 'custom' as const, name: 'patch' };
    const body = {
      model: 'local/script',
      tools: [...tools, custom, { type: 'web_search' as const }],
    };
    const whole = await openai(peer).responses.create({ ...body, input: 'go' });
    const streamed = await openai(peer)
      .responses.stream({ ...body, input: 'go' })
      .finalResponse();
    const call = { type: 'custom_tool_call', name: 'patch', input: 'a "b"' } as const;
    for (const { output } of [whole, streamed]) expect(output).toMatchObject([call]);
    const result = { type: 'custom_tool_call_output' as const, call_id: 'c', output: 'ok' };
    const input = [{ role: 'user' as const, content: 'go' }, { ...call, call_id: 'c' }, result];
    const last = await openai(peer).responses.create({ ...body, input });
    expect(last.output_text).toBe(text);
  });

  it('assembles a stream with the helper to what the answer is in one piece', async () => {
    const peer = await startPeer();
    const reasoning = { summary: 'auto' as const };
    const body = { model: 'local/echo', input: text, reasoning, instructions: 'Repeat.' };
    const deltas: string[] = [];
    const { result: streamed } = await peer.paid(() => {
      const stream = openai(peer).responses.stream(body);
      stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
      return stream.finalResponse();
    });
    const { result: whole, record } = await peer.paid(() => openai(peer).responses.create(body));
    expect(whole).toMatchObject({
      instructions: 'Repeat.',
      usage: { input_tokens: record.promptTokens, output_tokens: record.completionTokens },
    });
    expect(deltas.join('')).toBe(text);
    if (major > 4) expect(streamed.output_text).toBe(text);
    const plain = ({ output, ...rest }: OpenAI.Responses.Response) => ({
      ...rest,
      id: undefined,
      output: output.map((item) => ({ ...item, id: undefined })),
    });
    // The helper adds fields of its own, so the whole is a part of it.
    const { output_text: joined, ...rest } = plain(whole);
    expect(plain(streamed)).toMatchObject(JSON.parse(JSON.stringify(rest)));
    expect(joined).toBe(text);
  });

  it.each(['required' as const, { type: 'function' as const, name: 'get_weather' }])(
    'streams a call that tool_choice %j demands',
    async (choice) => {
      const peer = await startPeer();
      const { result } = await peer.paid(async () => {
        const stream = openai(peer).responses.stream({
          model: 'local/echo',
          input: 'hello',
          tools,
          tool_choice: choice,
        });
        const deltas: string[] = [];
        stream.on('response.function_call_arguments.delta', ({ delta }) => deltas.push(delta));
        return { final: await stream.finalResponse(), json: deltas.join('') };
      });
      const [item] = result.final.output;
      expect(item).toMatchObject({ type: 'function_call', name: 'get_weather' });
      expect(item?.type === 'function_call' && item.arguments).toBe(result.json);
    },
  );
}
