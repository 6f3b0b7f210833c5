/** A process that writes to the ledger over and over: folder, name, number of events; or counts. */
import { writeSync } from 'node:fs';
import { Ledger } from '../../src/state/ledger.js';
import { pathsFrom } from '../../src/state/paths.js';

const [folder = '', name = '', events = '0'] = process.argv.slice(2);
const ledger = new Ledger(pathsFrom({ SVC_CONFIG_DIR: folder }));
const account = { profile: 'p', service: 's', keyHash: 'h' };

writeSync(1, name === 'count' ? `${String(ledger.jobs().length)} jobs\n` : 'ready\n');
for (let index = 0; index < Number(events); index += 1) {
  const intent = `${name}-${String(index)}`;
  const job = { kind: 'generate', account, model: 'm', hash: 'w', headers: {} } as const;
  ledger.append({ type: 'wanted', intent, atMs: 1, ...job });
  writeSync(1, `${intent}\n`);
}
