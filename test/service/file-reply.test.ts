import { open } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { webResponse } from '../../src/service/call.js';
import { fileReply } from '../../src/service/file-reply.js';
import { testFolder } from '../helpers/folder.js';

/** The answer with a file that holds `content`, and is said to have `byteLength` bytes. */
async function replyOf(byteLength: number, headers: Record<string, string> = {}) {
  const path = join(testFolder(), 'a');
  writeFileSync(path, 'content');
  const handle = await open(path);
  const file = { handle, byteLength, sha256: 'abc' };
  const reply = fileReply(file, new Headers(headers), { 'content-type': 'x/y' });
  return { handle, reply: reply.then(webResponse) };
}

describe('a file as an answer is closed', () => {
  it('when all of it has been read', async () => {
    const { handle, reply } = await replyOf(7);
    expect(await (await reply).text()).toBe('content');
    expect(handle.fd).toBe(-1);
  });

  it('when the rest is not wanted', async () => {
    const { handle, reply } = await replyOf(7);
    await (await reply).body?.cancel();
    expect(handle.fd).toBe(-1);
  });

  it('when it ends early, which breaks the answer off', async () => {
    const { handle, reply } = await replyOf(8);
    await expect((await reply).text()).rejects.toThrow('the file ended early');
    expect(handle.fd).toBe(-1);
  });

  it.each(['bytes=7-', 'bytes=7-12', 'bytes=-0'])('when it has no byte of %s', async (range) => {
    const { handle, reply } = await replyOf(7, { range });
    const details = { headers: { 'content-range': 'bytes */7', etag: '"abc"' } };
    await expect(reply).rejects.toMatchObject({ status: 416, details });
    expect(handle.fd).toBe(-1);
  });
});

describe('a range of a file', () => {
  it.each([
    ['bytes=0-1', '0-1', 'co'],
    ['bytes=4-', '4-6', 'ent'],
    ['bytes=-2', '5-6', 'nt'],
    ['BYTES=5-5', '5-5', 'n'],
    ['bytes=5-99', '5-6', 'nt'],
  ])('is what %s asks for', async (range, stretch, text) => {
    const reply = await (await replyOf(7, { range })).reply;
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-range')).toBe(`bytes ${stretch}/7`);
    expect(reply.headers.get('content-length')).toBe(String(text.length));
    expect(await reply.text()).toBe(text);
  });

  it.each(['bytes=', 'bytes=a-b', 'bytes=6-5', 'lines=0-5', 'bytes=0-1,5-6', '0-5'])(
    'is the whole for %j',
    async (range) => {
      const reply = await (await replyOf(7, { range })).reply;
      expect([reply.status, reply.headers.get('content-range')]).toEqual([200, null]);
      expect(await reply.text()).toBe('content');
    },
  );

  it.each([
    ['"abc"', 206],
    ['W/"abc"', 200],
    ['"other"', 200],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 200],
  ])('is given with If-Range %s only when it names the same bytes', async (ifRange, status) => {
    const reply = await (await replyOf(7, { range: 'bytes=0-1', 'if-range': ifRange })).reply;
    await reply.text();
    expect(reply.status).toBe(status);
  });
});
