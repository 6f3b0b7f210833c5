/**
 * A process that downloads a file: its URL, and where to, as JSON. It says on stdout when bytes
 * begin to come, and at the end what came of it.
 */
import { readFileSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { createTransport } from '../../src/http/attempt.js';
import { download } from '../../src/http/download/download.js';
import { systemClock } from '../../src/lib/clock.js';

const To = z.object({
  file: z.optional(z.string()),
  folder: z.optional(z.string()),
  name: z.optional(z.string()),
});

const timeouts = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000 };
const [url = '', to = '{}'] = process.argv.slice(2);

async function run(): Promise<unknown> {
  const { file, folder = '', name = 'a' } = To.parse(JSON.parse(to));
  let hasBegun = false;
  const done = await download({
    transport: createTransport({ env: {} }),
    url: new URL(url),
    to: file
      ? { kind: 'file', path: file, replace: false }
      : { kind: 'folder', folder, name: (extension) => `${name}.${extension}` },
    timeouts,
    clock: systemClock,
    onProgress: () => {
      if (!hasBegun) writeSync(1, 'begun\n');
      hasBegun = true;
    },
  });
  return { ...done, mostKiB: mostKiB() };
}

/** The most memory of this process, where the system tells; `resourceUsage` counts its parent's too. */
function mostKiB(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
}

function failure(error: unknown): unknown {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const hint: unknown = Reflect.get(Object(error), 'hint');
  return { name, message, hint };
}

void run()
  .catch(failure)
  .then((told) => writeSync(1, `${JSON.stringify(told)}\n`));
