/** The AI SDK 6, which checks each reply against a schema of its own, with three of its providers. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  embedMany,
  experimental_generateSpeech as generateSpeech,
  experimental_transcribe as transcribe,
  generateImage,
  generateText,
  jsonSchema,
  Output,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { keys } from '../helpers.js';
import { collect, startPeer, type Peer } from './peer.js';
import { text } from './samples.js';

const settings = ({ url }: Peer, apiKey: string) => ({ baseURL: `${url}/v1`, apiKey });
const providers = {
  'openai, chat': (peer: Peer, id: string, key: string) =>
    createOpenAI(settings(peer, key)).chat(id),
  'openai, responses': (peer: Peer, id: string, key: string) =>
    createOpenAI(settings(peer, key)).responses(id),
  anthropic: (peer: Peer, id: string, key: string) => createAnthropic(settings(peer, key))(id),
  compatible: (peer: Peer, id: string, key: string) =>
    createOpenAICompatible({ name: 'svc', includeUsage: true, ...settings(peer, key) })(id),
};

const tools = {
  weather: tool({
    description: 'The weather of a day',
    inputSchema: z.object({ city: z.string() }),
    execute: () => 'rain',
  }),
};

describe.each(Object.entries(providers))('the ai package 6 with %s', (_, provider) => {
  const model = (peer: Peer, id = 'local/echo', key: string = keys.local) =>
    provider(peer, id, key);
  const once = { maxRetries: 0, maxOutputTokens: 1000 };

  it('gets an answer in one piece', async () => {
    const peer = await startPeer();
    const { result, record } = await peer.paid(() =>
      generateText({ ...once, model: model(peer), system: 'Be brief.', prompt: text }),
    );
    expect(result.text).toBe(text);
    expect(result.finishReason).toBe('stop');
    expect(result.usage).toMatchObject({
      inputTokens: record.promptTokens,
      outputTokens: record.completionTokens,
    });
  });

  it('streams an answer, and knows why it ended', async () => {
    const peer = await startPeer();
    const { result: parts } = await peer.paid(async () =>
      collect(streamText({ ...once, model: model(peer), prompt: text }).fullStream),
    );
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : []));
    expect(deltas.join('')).toBe(text);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
  });

  it.each([false, true])(
    'runs a tool, and answers with its result (stream: %s)',
    async (stream) => {
      const peer = await startPeer();
      const asked = {
        ...once,
        model: model(peer),
        prompt: 'use weather',
        tools,
        stopWhen: stepCountIs(3),
      };
      const ended = stream ? streamText(asked) : await generateText(asked);
      expect(await ended.text).toBe('rain');
      const [first] = await ended.steps;
      expect(first?.toolCalls).toMatchObject([{ toolName: 'weather', input: expect.any(Object) }]);
    },
  );

  it('gets an object that fits its schema', async () => {
    const peer = await startPeer();
    const schema = jsonSchema<{ city: string; days: number }>({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    });
    const { output } = await generateText({
      ...once,
      model: model(peer),
      prompt: '{"city":"Kazan","days":3}',
      output: Output.object({ schema }),
    });
    expect(output).toEqual({ city: expect.any(String), days: expect.any(Number) });
  });
});

it('the ai package 6 shows the reasoning of a messages answer, whole and streamed', async () => {
  const peer = await startPeer();
  const model = createAnthropic(settings(peer, keys.local))('local/guide');
  const thinking = { type: 'enabled' as const, budgetTokens: 1024 };
  const asked = { model, prompt: 'my balance', providerOptions: { anthropic: { thinking } } };
  expect((await generateText(asked)).reasoningText).toMatch(/\S/);
  expect(await streamText(asked).reasoningText).toMatch(/\S/);
});

it('the ai package 6 gets vectors, an image, speech and what speech says', async () => {
  const peer = await startPeer();
  const openai = createOpenAI(settings(peer, keys.local));
  const values = ['one', 'two'];
  const { embeddings } = await embedMany({ model: openai.embedding('local/embed'), values });
  expect(embeddings.map(({ length }) => length > 10)).toEqual([true, true]);
  const { audio } = await generateSpeech({
    model: openai.speech('local/voice'),
    text: 'hello there',
    voice: 'alto',
    outputFormat: 'wav',
  });
  const transcript = await transcribe({
    model: openai.transcription('local/transcribe'),
    audio: audio.uint8Array,
  });
  expect(transcript.text).toBe('hello there');
  const { image } = await generateImage({
    model: createOpenAICompatible({ name: 'svc', ...settings(peer, keys.local) }).imageModel(
      'local/canvas',
    ),
    prompt: 'a lighthouse',
  });
  expect(image.mediaType).toBe('image/png');
});
