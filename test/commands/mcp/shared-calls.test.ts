/** Equal calls wait for one run, which continues when none does: it is paid for once, and its result found. */
import { expect, test, vi } from 'vitest';
import { SharedCalls, type SharedCall } from '../../../src/commands/mcp/shared-calls.js';
import type { EndpointId } from '../../../src/contract/index.js';
import { listOf } from '../../../src/lib/json.js';
import { front } from '../../helpers/front.js';
import { gate } from '../../helpers/gate.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { startMcp } from '../../helpers/mcp-client.js';
import { ledgerTexts } from '../../helpers/state.js';
import { wav } from '../../lib/audio/files.js';

const image = { prompt: 'x', model: 'local/canvas' };
const running = {
  isError: false,
  json: {
    state: 'running',
    next: 'it continues: call image_create again with the same arguments, without new; it is not paid twice',
  },
};

/** A service that makes what is asked for at once, and says so after a while; and servers of MCP for it. */
async function setUp(heldMs: number, held: EndpointId = 'images.create') {
  const service = await front();
  const { clock, env, home, ask } = service;
  service.on(held, { delayMs: heldMs });
  /** Resolves when the server has read what was sent to it. */
  let read: () => Promise<unknown> = () => Promise.resolve();
  /** So much time passes once `count` requests are held. */
  const pass = async (ms: number, count = 1) => {
    const asked = () => clock.sleeps.filter((ms) => ms === heldMs).length;
    await vi.waitFor(() => expect(asked()).toBe(count), 20_000);
    await read();
    clock.pass(ms);
  };
  const serve = async () => {
    const server = await startMcp(`--files ${home}/files`, { before: '', env, clock, home });
    read = () => server.client.ping();
    return server;
  };
  const charges = async () => listOf((await ask('GET', '/v1/generations'))['data']).length;
  return { ...service, charges, pass, serve };
}

test('image_create without a progress token ends after 48 s, and the same call gets the picture', async () => {
  const { charges, pass, serve } = await setUp(75_000);
  const { call } = await serve();
  const first = call('image_create', image);
  await pass(48_000);
  expect(await first).toMatchObject(running);
  const second = call('image_create', image);
  await pass(27_000);
  expect(await second).toMatchObject({ isError: false, images: [{ mimeType: 'image/png' }] });
  expect(await charges()).toBe(1);
});

test.each([
  ['image_create', 'images.create', image],
  ['generate', 'media.generate', image],
  ['speak', 'audio.speech', { text: 'Good morning.', model: 'local/voice' }],
] as const)('equal calls of %s at once are paid once, and each gets the result', async (...row) => {
  const [name, held, given] = row;
  const { charges, pass, serve } = await setUp(16_000, held);
  const { call } = await serve();
  const others = [{}, { maxCost: 3 }, { new: false }, { new: null }];
  const made = others.map((more) => call(name, { ...given, ...more }));
  await pass(0);
  await pass(16_000);
  const results = await Promise.all(made);
  const [first] = results;
  expect(first).toMatchObject({ isError: false, json: { cost: { priceRub: expect.any(Number) } } });
  expect(results.map(({ json }) => json)).toEqual(results.map(() => first?.json));
  expect(await charges()).toBe(1);
});

test('another model, another prompt, and `new` are other calls', async () => {
  const { charges, pass, serve } = await setUp(16_000);
  const { call } = await serve();
  const all = [image, { ...image, prompt: 'y' }, { ...image, new: true }, { ...image, new: true }];
  const made = all.map((given) => call('image_create', given));
  await pass(16_000, 4);
  const results = await Promise.all(made);
  expect(new Set(results.map(({ json }) => json['id'])).size).toBe(4);
  expect(await charges()).toBe(4);
});

test('a call that one of its clients cancels continues for the other, and one of nobody ends', async () => {
  const { charges, pass, serve } = await setUp(16_000);
  const { call } = await serve();
  const cancelling = new AbortController();
  const { signal } = cancelling;
  const first = call('image_create', image, { signal });
  const second = call('image_create', image);
  await pass(0);
  cancelling.abort();
  await expect(first).rejects.toThrow();
  await pass(16_000);
  expect((await second).images).toHaveLength(1);
  const later = new AbortController();
  const third = call('image_create', { ...image, prompt: 'y' }, { signal: later.signal });
  await pass(0, 2);
  later.abort();
  await expect(third).rejects.toThrow();
  const fourth = call('image_create', { ...image, prompt: 'y' });
  await pass(16_000, 3);
  expect((await fourth).json).toMatchObject({ resumed: true });
  expect(await charges()).toBe(2);
});

test('after `still running`, a cancel of the second call does not end it, and a third gets it', async () => {
  const { charges, pass, serve } = await setUp(75_000);
  const { call } = await serve();
  const first = call('image_create', image);
  await pass(48_000);
  expect(await first).toMatchObject(running);
  const cancelling = new AbortController();
  const second = call('image_create', image, { signal: cancelling.signal });
  await pass(0);
  cancelling.abort();
  await expect(second).rejects.toThrow();
  await pass(27_000);
  const { images, json } = await call('image_create', image);
  expect(images).toHaveLength(1);
  expect(json).not.toHaveProperty('resumed');
  expect(await charges()).toBe(1);
});

test.each([
  ['before its answer came', 0, '"type":"wanted"'],
  ['after its answer came', 27_000, '"priceRub":2.4'],
])('a server that ends %s leaves the picture to the same call of another', async (...row) => {
  const [, passedMs, event] = row;
  const { charges, clock, home, pass, serve, straighten, svc } = await setUp(75_000);
  const { call, ended, toServer } = await serve();
  const first = call('image_create', image);
  await pass(48_000);
  expect(await first).toMatchObject(running);
  clock.pass(passedMs);
  await vi.waitFor(() => expect(ledgerTexts(home).join()).toContain(event), 20_000);
  toServer.end();
  expect(await ended).toMatchObject({ code: 0 });
  straighten();
  const listed = await svc('jobs list --json');
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
  const again = await (await serve()).call('image_create', image);
  expect(again).toMatchObject({ json: { resumed: true }, images: [{ mimeType: 'image/png' }] });
  expect(await charges()).toBe(1);
});

test('a recording that was written anew is another call', async () => {
  const { charges, file, pass, serve } = await setUp(16_000, 'audio.transcription');
  const { call } = await serve();
  const transcribe = (bytes: number) => {
    const path = file('a.wav', wav(Buffer.alloc(bytes)));
    return call('transcribe', { model: 'local/transcribe', file: path });
  };
  const first = transcribe(16_000);
  await pass(0);
  const second = transcribe(64_000);
  await pass(0, 2);
  // Written once more with the same content, it is the same.
  const third = transcribe(64_000);
  await pass(16_000, 2);
  expect((await first).json['text']).toContain('1.0 s of WAV');
  expect((await second).json['text']).toContain('4.0 s of WAV');
  expect((await third).json).toEqual((await second).json);
  expect(await charges()).toBe(2);
});

test('a cancel while the price of a picture is asked for leaves the picture to the same call', async () => {
  const { charges, clock, home, on, serve, straighten, svc } = await setUp(16_000);
  await svc('budget set day 100');
  const { call } = await serve();
  const cancelling = new AbortController();
  on(/GET .*\/generations/, { delayMs: 3_600_000 });
  const first = call('image_create', image, { signal: cancelling.signal });
  first.catch(() => undefined);
  await vi.waitFor(() => {
    clock.pass(1000);
    expect(ledgerTexts(home).join()).toContain('"closed"');
  }, 20_000);
  cancelling.abort();
  await expect(first).rejects.toThrow();
  straighten();
  let isEnded = false;
  const second = call('image_create', image).finally(() => (isEnded = true));
  await vi.waitFor(() => {
    clock.pass(1000);
    expect(isEnded).toBe(true);
  }, 20_000);
  expect((await second).images).toHaveLength(1);
  expect(await charges()).toBe(1);
});

test('each client is shown progress, and one that is getting the output waits for the end', async () => {
  const clock = new ManualClock();
  const calls = new SharedCalls(clock);
  const ending = gate();
  const result = { content: [] };
  let shared: SharedCall | undefined;
  const waiter = (onProgress?: (words: string) => void) => ({
    signal: new AbortController().signal,
    onProgress,
  });
  const run = async (call: SharedCall) => {
    shared = call;
    await ending.opened;
    return result;
  };
  const heard: string[] = [];
  const about = { key: 'x', isNew: false };
  const waits = ['a', 'b'].map((name) =>
    calls.join(
      about,
      waiter((words) => heard.push(`${name} ${words}`)),
      run,
    ),
  );
  const silent = calls.join(about, waiter(), run);
  shared?.onProgress('half');
  expect(heard).toEqual(['a half', 'b half']);
  clock.pass(48_000);
  expect(await silent).toBeUndefined();
  const late = calls.join(about, waiter(), run);
  await shared?.delivery();
  clock.pass(48_000);
  await new Promise((resolve) => setImmediate(resolve));
  ending.open();
  expect(await Promise.all([...waits, late])).toEqual([result, result, result]);
});
