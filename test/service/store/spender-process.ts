/** A process that spends: store file, number of paid calls, price of each in micro-roubles. */
import { brandFrom } from '../../../src/contract/brand.js';
import { randomId } from '../../../src/service/ids.js';
import { findCaller } from '../../../src/service/store/accounts.js';
import { openStore } from '../../../src/service/store/store.js';
import { debit } from '../../../src/service/store/usage.js';
import { say, workOnSignal } from '../../helpers/process-work.js';

const [path = '', calls = '0', price = '0', opening = '0'] = process.argv.slice(2);

function open() {
  const brand = brandFrom('svc');
  const sql = openStore({ path, brand, openingMicroRub: Number(opening), nowMs: 1 });
  const caller = findCaller(sql, 'sk-svc-local');
  if (!caller) throw new Error('the key is not in the store');
  return { sql, caller };
}

workOnSignal(open, ({ sql, caller }) => {
  for (let i = 0; i < Number(calls); i += 1) {
    const id = `gen_${randomId()}`;
    const facts = { id, model: 'local/echo', route: ':standard', createdAtMs: 1 };
    const tokens = { promptTokens: 1, completionTokens: 1, priceMicroRub: Number(price) };
    say(debit(sql, caller, { ...facts, ...tokens }) ? id : 'refused');
  }
  sql.close();
});
