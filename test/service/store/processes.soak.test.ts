/** What several processes and kill -9 do to the ledger. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { brandFrom } from '../../../src/contract/brand.js';
import { openStore } from '../../../src/service/store/store.js';
import { bundle, bundleEnv } from '../../helpers/bundle.js';
import { testFolder } from '../../helpers/folder.js';
import { readLedger } from '../hostile/ledger.js';

let script = '';

beforeAll(async () => {
  script = await bundle('test/service/store/spender-process.ts');
});

interface Spender {
  process: ChildProcess;
  /** The whole lines it has said so far. */
  said: () => string[];
  complaints: string[];
  /** Resolves at the first word. */
  opened: Promise<void>;
  ended: Promise<unknown>;
}

function startSpender(path: string, calls: number, price: number, opening: number): Spender {
  const child = spawn(process.execPath, [script, path, ...[calls, price, opening].map(String)], {
    env: bundleEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  const said = () => text.split('\n').slice(0, -1);
  const complaints: string[] = [];
  const ended = once(child, 'close');
  const opened = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      text += piece.toString();
      resolve();
    });
    ended.then(() => reject(new Error(complaints.join(''))), reject);
  });
  child.stderr.on('data', (piece: Buffer) => complaints.push(piece.toString()));
  child.stdin.on('error', () => undefined);
  return { process: child, said, complaints, opened, ended };
}

function release(spenders: readonly Spender[]): void {
  for (const { process: child } of spenders) child.stdin?.write('go\n');
}

/** The money of the account, and the ids of all records in order. */
function ledgerOf(path: string) {
  const { accounts, ids, integrity } = readLedger(path);
  return { ...accounts.find(({ id }) => id === 'local'), ids: ids.sort(), integrity };
}

describe('the ledger between processes', () => {
  it('is opened by many processes at once, whoever comes first', { timeout: 120_000 }, async () => {
    const path = join(testFolder(), 'new', 'local.sqlite');
    const spenders = Array.from({ length: 8 }, () => startSpender(path, 1, 10, 1000));
    await Promise.all(spenders.map(({ opened }) => opened));
    release(spenders);
    await Promise.all(spenders.map(({ ended }) => ended));
    expect(spenders.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(ledgerOf(path)).toMatchObject({ opening: 1000, balance: 920, spent: 80 });
  });

  it('is never overdrawn, and each rouble taken has its record', { timeout: 120_000 }, async () => {
    const path = join(testFolder(), 'local.sqlite');
    // 4 × 100 calls at 7 want 2800, but only 1000 is there: 142 calls, and 6 are left.
    const spenders = Array.from({ length: 4 }, () => startSpender(path, 100, 7, 1000));
    await Promise.all(spenders.map(({ opened }) => opened));
    release(spenders);
    await Promise.all(spenders.map(({ ended }) => ended));
    expect(spenders.flatMap(({ complaints }) => complaints)).toEqual([]);
    const said = spenders.flatMap((spender) => spender.said().filter((word) => word !== 'open'));
    const paid = said.filter((word) => word !== 'refused');
    expect(said).toHaveLength(400);
    expect(paid).toHaveLength(142);
    expect(ledgerOf(path)).toMatchObject({ balance: 6, spent: 994, ids: paid.sort() });
    // Everyone got a turn, so they did run against each other.
    expect(
      spenders.filter((spender) => spender.said().some((word) => word.startsWith('gen_'))).length,
    ).toBeGreaterThan(1);
  });

  it(
    'keeps every paid call, and no half of one, when processes are killed',
    { timeout: 120_000 },
    async () => {
      const path = join(testFolder(), 'local.sqlite');
      const rounds = 4;
      const opening = 1_000_000;
      openStore({ path, brand: brandFrom('svc'), openingMicroRub: opening, nowMs: 1 }).close();
      const acknowledged: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const spenders = Array.from({ length: 2 }, () => startSpender(path, 100_000, 3, opening));
        await Promise.all(spenders.map(({ opened }) => opened));
        release(spenders);
        // Killed as soon as each has paid for something, in the middle of whatever is next.
        await Promise.all(
          spenders.map(async ({ process: child, said }) => {
            while (said().length < 20 * (round + 1)) await once(child.stdout ?? child, 'data');
            child.kill('SIGKILL');
          }),
        );
        await Promise.all(spenders.map(({ ended }) => ended));
        for (const { said } of spenders)
          acknowledged.push(...said().filter((word) => word !== 'open'));
      }
      const ledger = ledgerOf(path);
      expect(ledger.integrity).toBe('ok');
      expect(ledger.ids).toEqual(expect.arrayContaining(acknowledged));
      // Each process may have paid for one call that it could not report.
      expect(ledger.ids.length - acknowledged.length).toBeLessThanOrEqual(2 * rounds);
      expect(ledger.spent).toBe(ledger.ids.length * 3);
      expect(ledger.balance).toBe(opening - (ledger.spent ?? 0));
    },
  );
});
