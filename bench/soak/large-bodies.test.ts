/** Bodies of the largest sizes, and beyond them, to the embedded service. */
import { expect, it } from 'vitest';
import {
  balanceOf,
  chatBody,
  historyOf,
  keys,
  openService,
  post,
} from '../../test/service/helpers.js';
import { transcribe, transcriptOf } from '../../test/service/audio/helpers.js';
import { open, refusal, refusedWith } from '../../test/service/media/helpers.js';
import { wav } from '../../test/service/media/tones.js';
import { dial, start } from '../../test/service/raw-connection.js';
import {
  addTo,
  cloneOf,
  growing,
  listed,
  sized,
  tone,
  voiceIn,
} from '../../test/service/voices/helpers.js';

const mb = 1024 * 1024;
const chatPath = '/v1/chat/completions';

/** A chat request of exactly so many bytes. */
function chatOf(bytes: number): string {
  const [start = '', end = ''] = JSON.stringify(chatBody('hello', { pad: '|' })).split('|');
  return start + 'x'.repeat(bytes - start.length - end.length) + end;
}

it('a chat request may have 32 MiB, and not a byte more', async () => {
  const service = openService();
  expect((await post(service, chatPath, chatOf(32 * mb))).status).toBe(200);
  expect((await post(service, chatPath, chatOf(32 * mb + 1))).status).toBe(413);
  expect(await historyOf(service)).toHaveLength(1);
});

it.each([
  ['that reads only at the end', `content-length: ${50 * mb}`],
  ['whose chunks never end', 'transfer-encoding: chunked'],
])('bodies beyond the cap are refused to a sender %s', async (_, framing) => {
  const { port } = await start(openService());
  const line = await dial(port);
  const isChunked = framing.includes('chunked');
  if (!isChunked) line.socket.pause();
  const head = [`POST ${chatPath} HTTP/1.1`, `host: localhost:${port}`];
  const key = `authorization: Bearer ${keys.local}`;
  line.socket.write([...head, key, framing, '', ''].join('\r\n'));
  const piece = Buffer.alloc(mb, 0x20);
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
  for (let sent = 0; (isChunked || sent < 50) && line.socket.writable; sent += 1) {
    await new Promise<void>((resolve) => {
      line.socket.write(isChunked ? chunk : piece, () => resolve());
    });
  }
  line.socket.resume();
  await line.closed;
  expect(line.received).toMatch(/^HTTP\/1.1 413 [^]*payload_too_large/);
});

it('a recording to transcribe may have 50 MB, and not a byte more', async () => {
  const opened = open();
  const file = Buffer.alloc(50 * mb + 1);
  file.set(wav(1).subarray(0, 44));
  // 0xffffffff: all that follows is sound.
  file.writeUInt32LE(0xffffffff, 40);
  const error = { code: 'payload_too_large', max_body_bytes: 50 * mb };
  const refused = await refusal(await transcribe(opened, file));
  expect(refused).toMatchObject({ status: 413, body: { error } });
  expect(await historyOf(opened)).toEqual([]);
  expect(await transcriptOf(opened, file.subarray(0, 50 * mb))).toContain('of WAV');
});

it('the recordings of a voice may have 50 MB in all, and not more, when it is made or later', async () => {
  const opened = open();
  const five = Array.from({ length: 5 }, () => sized(10 * mb));
  const refused = await cloneOf(opened, [...five, tone(0.1)]);
  expect(await refusedWith(refused)).toBe('422 voice_samples_too_large');
  expect((await listed(opened)).voices).toEqual([]);
  expect(await balanceOf(opened)).toBe(1000);
  const { voice } = await growing(opened);
  const more = await addTo(opened, voice.id, five);
  expect(await refusedWith(more)).toBe('422 voice_samples_too_large');
  expect((await listed(opened)).voices).toEqual([voice]);
  await voiceIn(await cloneOf(opened, five));
});
