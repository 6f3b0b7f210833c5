/** A service that hears, and a recording that is too large for it. */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fakeService, json, type Seen } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, words, type RunOptions } from '../../helpers/run.js';
import { comment, wav } from '../../lib/audio/files.js';

/** A service that hears what `hear` says; `count` is 1 for the first recording. */
export async function listener(
  hear: (count: number, request: Seen) => string = () => 'what it says',
) {
  let count = 0;
  /** Answers in the service's place when it returns true. */
  type Instead = (count: number, response: ServerResponse) => boolean;
  const bent: { instead: Instead } = { instead: () => false };
  const service = await fakeService((request, response) => {
    if (request.method !== 'POST') {
      json({ balance_rub: 90, priceRub: 2 })(request, response);
      return;
    }
    count += 1;
    if (bent.instead(count, response)) return;
    json({ text: hear(count, request) }, 200, {
      'x-svc-generation-id': `gen_${String(count)}`,
    })(request, response);
  });
  const folder = testFolder();
  const file = (name: string, content: Buffer | string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const svc = (line: string | readonly string[], options: RunOptions = {}) =>
    run(['transcribe', '-m', 'vendor/ear', ...(typeof line === 'string' ? words(line) : line)], {
      tty: { stdin: true },
      ...options,
      env: { ...service.env, ...options.env },
    });
  const posts = () => service.requests.filter(({ method }) => method === 'POST');
  return { ...service, bent, folder, file, svc, posts };
}

/**
 * A loud tone, with a pause near the first cut.
 * @param bytes of sound; two minutes and more unless told otherwise.
 */
export function large(bytes = 54_000_000): Buffer {
  const sound = Buffer.alloc(bytes, Buffer.from([0, 0x40, 0, 0x20]));
  sound.fill(0, 50_000_000, 50_400_000);
  return wav(sound, { sampleRate: 192_000, after: [comment('all of it')] });
}
