/**
 * A process that spends: store file, number of paid calls, price of each in micro-roubles. It
 * says `open` once the store stands, waits for a line on stdin, then says each record's id that
 * was paid, and `refused` when the balance was too low.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { brandFrom } from '../../../src/contract/brand.js';
import { randomId } from '../../../src/service/ids.js';
import { findCaller } from '../../../src/service/store/accounts.js';
import { openStore } from '../../../src/service/store/store.js';
import { debit } from '../../../src/service/store/usage.js';

const [path = '', calls = '0', price = '0', opening = '0'] = process.argv.slice(2);

async function spend(): Promise<void> {
  const brand = brandFrom('svc');
  const sql = openStore({ path, brand, openingMicroRub: Number(opening), nowMs: 1 });
  const caller = findCaller(sql, 'sk-svc-local');
  if (!caller) throw new Error('the key is not in the store');
  writeSync(1, 'open\n');
  await once(process.stdin, 'data');
  for (let i = 0; i < Number(calls); i += 1) {
    const id = `gen_${randomId()}`;
    const paid = debit(sql, caller, {
      id,
      model: 'local/echo',
      route: ':standard',
      promptTokens: 1,
      completionTokens: 1,
      priceMicroRub: Number(price),
      createdAtMs: 1,
    });
    writeSync(1, paid ? `${id}\n` : 'refused\n');
  }
  sql.close();
  process.stdin.destroy();
}

spend().catch((error: unknown) => {
  writeSync(2, error instanceof Error ? `${error.name}: ${error.message}\n` : String(error));
  process.exitCode = 1;
});
