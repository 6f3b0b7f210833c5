/**
 * A process that serves: store file, opening balance in roubles, script file (may be empty). It
 * says its URL once it listens, and serves until it is killed.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../src/lib/clock.js';
import { listen } from '../../src/service/listen.js';
import { createService } from '../../src/service/service.js';

const [storePath = '', openingBalanceRub = '0', scriptPath = ''] = process.argv.slice(2);

async function serve(): Promise<void> {
  const service = createService({
    storePath,
    clock: systemClock,
    openingBalanceRub: Number(openingBalanceRub),
    scriptPath: scriptPath === '' ? undefined : scriptPath,
  });
  const { url } = await listen(service, { host: '127.0.0.1', port: 0 });
  writeSync(1, `${url}\n`);
}

serve().catch((error: unknown) => {
  writeSync(2, error instanceof Error ? `${error.name}: ${error.message}\n` : String(error));
  process.exitCode = 1;
});
