import { open } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileReply } from '../../src/service/file-reply.js';
import { testFolder } from '../helpers/folder.js';

async function replyOf(path: string, byteLength: number, headers = {}) {
  const handle = await open(path);
  const file = { handle, byteLength, sha256: 'abc' };
  return { handle, reply: fileReply(file, new Headers(headers), { 'content-type': 'x/y' }) };
}

it('closes the file when all of it has been read', async () => {
  const path = join(testFolder(), 'a');
  writeFileSync(path, 'content');
  const { handle, reply } = await replyOf(path, 7);
  expect(await (await reply).text()).toBe('content');
  expect(handle.fd).toBe(-1);
});

it('closes the file when nobody wants the rest', async () => {
  const path = join(testFolder(), 'a');
  writeFileSync(path, 'content');
  const { handle, reply } = await replyOf(path, 7);
  await (await reply).body?.cancel();
  expect(handle.fd).toBe(-1);
});

it('closes a file that ends early, and breaks the answer off', async () => {
  const path = join(testFolder(), 'a');
  writeFileSync(path, 'content');
  const { handle, reply } = await replyOf(path, 8);
  await expect((await reply).text()).rejects.toThrow('the file ended early');
  expect(handle.fd).toBe(-1);
});

it('closes a file that has no byte where the range begins', async () => {
  const path = join(testFolder(), 'a');
  writeFileSync(path, 'content');
  const { handle, reply } = await replyOf(path, 7, { range: 'bytes=7-' });
  await expect(reply).rejects.toMatchObject({ status: 416 });
  expect(handle.fd).toBe(-1);
});
