/** What is paid for is found again after its client has given up on the call. */
import { expect, test, vi } from 'vitest';
import type { EndpointId } from '../../../src/contract/index.js';
import { listOf, recordOf } from '../../../src/lib/json.js';
import { front } from '../../helpers/front.js';
import { startMcp } from '../../helpers/mcp-client.js';
import { wav } from '../../lib/audio/files.js';

/** svc against a service that does all work, and holds back the first answer to `held`. */
async function setUp(held: EndpointId) {
  const service = await front();
  const { clock, env, home } = service;
  service.on(held, { delayMs: Infinity, nth: 1 });
  const { call } = await startMcp('', { before: '', env, clock, home });
  const cancelled = async (name: string, given: object) => {
    const cancelling = new AbortController();
    const calling = call(name, given, { signal: cancelling.signal });
    await vi.waitFor(() => expect(clock.sleeps).toContain(Infinity), 20_000);
    cancelling.abort();
    await expect(calling).rejects.toThrow();
  };
  const charges = async () => listOf((await service.ask('GET', '/v1/generations'))['data']).length;
  return { ...service, call, cancelled, charges };
}

test.each([
  ['image_create', 'images.create', { prompt: 'x', model: 'local/canvas' }],
  ['generate', 'media.generate', { prompt: 'x', model: 'local/canvas' }],
  ['speak', 'audio.speech', { text: 'Good morning.', model: 'local/voice' }],
  ['transcribe', 'audio.transcription', { model: 'local/transcribe' }],
] as const)('%s that was cancelled resumes with the same call, and pays once', async (...row) => {
  const [name, held, given] = row;
  const { call, cancelled, charges, file } = await setUp(held);
  const values =
    name === 'transcribe' ? { ...given, file: file('a.wav', wav(Buffer.alloc(16_000))) } : given;
  await cancelled(name, values);
  expect(await charges()).toBe(1);
  const { json, isError } = await call(name, values);
  expect({ json, isError }).toMatchObject({ json: { resumed: true }, isError: false });
  expect(await charges()).toBe(1);
});

test('a job whose wait was cancelled is in jobs_list, and jobs_download gets its files', async () => {
  const { call, cancelled, charges } = await setUp('media.job');
  await cancelled('generate', { prompt: 'x', model: 'local/canvas' });
  const [job] = listOf((await call('jobs_list', {})).json['jobs']);
  const { id } = recordOf(job);
  await call('jobs_wait', { id: [id] });
  expect((await call('jobs_download', { id: [id] })).images).toHaveLength(1);
  expect(await charges()).toBe(1);
});

test('what a question that was cancelled cost is in usage_list', async () => {
  const { call, cancelled } = await setUp('chat.create');
  await cancelled('chat', { prompt: 'why?', model: 'local/echo' });
  const charged = expect.objectContaining({ model: 'local/echo' });
  expect((await call('usage_list', {})).json).toMatchObject({ data: [charged] });
});
