/** A process that uses one of svc's own files, in a folder: it says what came of it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { claimOnly } from '../../src/files/claim.js';
import { systemClock } from '../../src/lib/clock.js';
import { brandFrom } from '../../src/contract/brand.js';
import { openStore } from '../../src/service/store/store.js';
import { accountOf } from '../../src/state/account.js';
import { readConfig } from '../../src/state/config.js';
import { incidentFor } from '../../src/state/incidents.js';
import { lastFailure, nameCache } from '../../src/state/small-files.js';
import { Ledger } from '../../src/state/ledger.js';
import { withLock } from '../../src/state/lock.js';
import { pathsFrom } from '../../src/state/paths.js';

const [what = '', folder = ''] = process.argv.slice(2);
const paths = pathsFrom({ SVC_CONFIG_DIR: folder });
const account = accountOf('default', 'https://service.test', 'sk-svc-key');
const report = { category: 'c', subject: 's', message: 'm', requestIds: [] };
const store = { brand: brandFrom('svc'), openingMicroRub: 1, nowMs: 1 };

const uses: Readonly<Record<string, () => unknown>> = {
  config: () => readConfig(paths),
  lock: () => withLock(join(folder, 'config.json.lock'), { clock: systemClock }, () => 'held'),
  ledger: () => new Ledger(paths).jobs(),
  append: () =>
    new Ledger(paths).append({ type: 'reported', intent: 'k', atMs: 1, status: 'fail' }),
  incidents: () => incidentFor(paths, account, report, 1),
  store: () => openStore({ path: join(folder, 'data/local.sqlite'), ...store }),
  claim: () => claimOnly(join(folder, 'out.png'), () => true),
  part: () => claimOnly(join(folder, 'out.png'), () => true),
  'last-failure': () => lastFailure(paths).read() ?? 'nothing',
  cache: () => (nameCache(paths, account).read() ? 'something' : 'nothing'),
  'cache-path': () => {
    nameCache(paths, account).keep({ names: ['m'] });
    const [name = ''] = readdirSync(paths.cache);
    return join(paths.cache, name);
  },
};

async function run(): Promise<unknown> {
  return uses[what]?.();
}

run().then(
  (came) => console.log(came),
  (error: unknown) => console.log(String(error)),
);
