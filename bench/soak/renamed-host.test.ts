/**
 * Paid commands, killed with -9 after the service has charged, and typed again under another host
 * name, or in a container of the same machine: the service has charged once.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { shellWord } from '../../src/lib/names.js';
import { listen } from '../../src/service/listen.js';
import { createService } from '../../src/service/service.js';
import { bash, start, svc } from '../../test/bin/svc.js';
import { testFolder } from '../../test/helpers/folder.js';
import { gate } from '../../test/helpers/gate.js';

/** How a process gets another host name, or its own process ids too, as in a container. */
const elsewhere = {
  'under another host name': ['--uts'],
  'in a container': ['--uts', '--pid', '--fork', '--mount-proc'],
} as const;

/** A service that keeps back its first answer to a request like this, which it has carried out. */
async function holdingService(kept: RegExp) {
  const folder = testFolder();
  const service = createService({
    storePath: join(folder, 'served.db'),
    clock: systemClock,
    jobTimeMs: 20,
  });
  const reached = gate();
  let isHeld = false;
  const answer: typeof service.answer = async (request) => {
    const reply = await service.answer(request);
    if (isHeld || !kept.test(`${request.method} ${new URL(request.url).pathname}`)) return reply;
    isHeld = true;
    reached.open();
    return new Promise(() => undefined);
  };
  const listening = await listen({ answer }, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await listening.close();
    service.close();
  });
  const env = {
    SVC_BASE_URL: listening.url,
    SVC_API_KEY: 'sk-svc-local',
    SVC_CONFIG_DIR: folder,
  };
  const charges = async () => {
    const { stdout } = await svc(['api', 'GET', '/v1/generations', '--jq', '.total'], { env });
    return Number(stdout);
  };
  return { charges, env, folder, reached };
}

describe.each(['under another host name', 'in a container'] as const)(
  'killed after the charge and typed again %s',
  (where) => {
    const unshare = ['unshare', ...elsewhere[where]].join(' ');
    const isPossible = spawnSync('sh', ['-c', `${unshare} hostname other`]).status === 0;

    it.runIf(isPossible).each([
      ['generate', 'generate local/canvas lighthouse --opt quality=draft -o', /^GET .*\/jobs\//],
      ['image create', 'image create -m local/canvas lighthouse -o', /^POST .*\/images\//],
      ['speak', 'speak -m local/voice lighthouse -o', /^POST .*\/speech$/],
    ])('%s is charged once', { timeout: 60_000 }, async (_, words, kept) => {
      const { charges, env, folder, reached } = await holdingService(kept);
      const file = join(folder, 'result');
      const first = await start([...words.split(' '), file], { env });
      first.child.stdin.end();
      await reached.opened;
      first.child.kill('SIGKILL');
      await first.ended;
      const line = shellWord(`hostname other; svc ${words} ${file} </dev/null`);
      const again = await bash(`${unshare} bash -c "$(declare -f svc); "${line}`, { env });
      expect(again).toMatchObject({ code: 0, stdout: `${file}\n` });
      expect(again.stderr).toContain('resuming ');
      const isUnknown = again.stderr.includes('has ended cannot be known here');
      expect(isUnknown).toBe(where === 'in a container');
      expect(readFileSync(file).length).toBeGreaterThan(0);
      expect(await charges()).toBe(1);
    });
  },
);
