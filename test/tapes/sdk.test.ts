/** What one package has recorded through the proxy is played to the others, byte for byte. */
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { expect, it, onTestFinished, vi } from 'vitest';
import { brandFrom, defaultBrand } from '../../src/contract/brand.js';
import { inProcessTransport } from '../../src/http/in-process.js';
import type { Transport } from '../../src/http/types.js';
import { Proxy } from '../../src/proxy/proxy.js';
import { listen } from '../../src/service/listen.js';
import { createService } from '../../src/service/service.js';
import { openTape, type TapeOptions } from '../../src/tapes/taped.js';
import { testFolder } from '../helpers/folder.js';
import { FakeClock, keys } from '../service/helpers.js';
import { text } from '../service/sdk/samples.js';

/** Cuts answers within characters and lines. */
const cutting =
  (inner: Transport): Transport =>
  async (request) => {
    const response = await inner(request);
    const pipe: typeof response.pipe = (sink, memory) =>
      response.pipe(async (piece) => {
        for (let at = 0; at < piece.length; at += 7) await sink(piece.subarray(at, at + 7));
      }, memory);
    return { ...response, pipe };
  };

/** A proxy with a tape; what its clients were answered, by the bytes. */
async function taped(options: TapeOptions, transport: Transport) {
  const clock = new FakeClock();
  const tape = openTape(options, { clock, report: (error) => expect(error).toBeUndefined() });
  const answer: Proxy['answer'] = (request) => proxy.answer(request);
  const server = await listen({ answer }, { host: '127.0.0.1', port: 0 });
  const baseUrl = new URL(server.url);
  const client = {
    ...{ baseUrl, brand: brandFrom(defaultBrand), key: keys.sandbox, transport, timeouts: {} },
    ...{ clock, signal: new AbortController().signal, userAgent: 'svc-cli/test' },
  };
  const over = tape?.over(transport, baseUrl) ?? transport;
  const proxy = new Proxy({ client, key: 'k', command: 'svc run', transport: over, isFree: true });
  onTestFinished(() => server.close());
  const answers: Buffer[] = [];
  const watching: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    const bytes = Buffer.from(await response.arrayBuffer());
    answers.push(bytes);
    return new Response(bytes, { status: response.status, headers: response.headers });
  };
  const own = { baseURL: `${server.url}/v1`, apiKey: 'k', fetch: watching };
  return { own, answers, tape };
}

const asked = { model: 'local/echo', messages: [{ role: 'user' as const, content: text }] };

async function askOpenAi({ chat }: OpenAI) {
  const whole = await chat.completions.create(asked);
  const usage = { stream: true, stream_options: { include_usage: true } } as const;
  const deltas: string[] = [];
  for await (const { choices } of await chat.completions.create({ ...asked, ...usage })) {
    deltas.push(choices[0]?.delta.content ?? '');
  }
  return [whole.choices[0]?.message.content, deltas.join('')];
}

it('the openai package 6 records what 4 and the ai package get without the service', async () => {
  const service = createService({ storePath: ':memory:', clock: new FakeClock() });
  onTestFinished(() => service.close());
  const path = join(testFolder(), 'asked.tape');
  const recorded = await taped({ record: path }, cutting(inProcessTransport(service.answer)));
  expect(await askOpenAi(new OpenAI(recorded.own))).toEqual([text, text]);

  const offline: Transport = () => Promise.reject(new Error('nothing may be sent'));
  // What is called here is the same in both versions.
  const { OpenAI: OpenAI4 } = await vi.importActual<typeof import('openai')>('openai-4');
  const older = await taped({ replay: path }, offline);
  expect(await askOpenAi(new OpenAI4(older.own))).toEqual([text, text]);
  expect(older.answers).toEqual(recorded.answers);

  const other = await taped({ replay: path }, offline);
  const provider = createOpenAICompatible({ name: 'svc', includeUsage: true, ...other.own });
  const once = { model: provider('local/echo'), prompt: text, maxRetries: 0 };
  expect((await generateText(once)).text).toBe(text);
  expect(await streamText(once).text).toBe(text);
  expect(other.answers).toEqual(recorded.answers);
});
