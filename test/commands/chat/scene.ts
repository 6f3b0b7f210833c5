/** What a line of `svc chat` would send, and files that it reads. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Seen } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';

export const formats = ['chat', 'messages', 'responses'] as const;

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The request that the words would send to the embedded service. */
export async function requestOf(words: readonly string[], options: RunOptions = {}) {
  const result = await run(['--local', '--dry-run', 'chat', ...words], options);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  const request: Request = JSON.parse(result.stdout);
  return request;
}

/** Its messages, under the name of any format. */
export async function messagesOf(words: readonly string[], options: RunOptions = {}) {
  const { body } = await requestOf(words, options);
  const messages: unknown = body['messages'] ?? body['input'];
  return messages;
}

/** The bodies of the requests that may be paid for. */
export function bodiesOf(requests: readonly Seen[]) {
  return requests.flatMap(({ body, method }) => {
    if (method !== 'POST') return [];
    const parsed: Record<string, unknown> = JSON.parse(body);
    return [parsed];
  });
}

/** A folder with these files; what is no text or bytes is written as JSON. */
export function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = testFolder();
  for (const [name, content] of Object.entries(files)) {
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), isRaw ? content : JSON.stringify(content));
  }
  return folder;
}

/** A file with this content. */
export const fileOf = (content: unknown, name = 'file.json') =>
  join(folderOf({ [name]: content }), name);

/** svc reads what has come in one of the next turns of the event loop, which both share. */
export async function eventLoopTurns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
