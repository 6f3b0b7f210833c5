import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { brandFrom } from '../../../src/contract/brand.js';
import { balanceMicroRub, findCaller } from '../../../src/service/store/accounts.js';
import { Sql } from '../../../src/lib/sql.js';
import { openStore, StoreError } from '../../../src/service/store/store.js';
import { schemaVersion } from '../../../src/service/store/tables.js';
import { debit, findUsage, giveBack, type Usage } from '../../../src/service/store/usage.js';
import { testFolder } from '../../helpers/folder.js';

const brand = brandFrom('svc');
const KeyDump = z.object({ row: z.string() });

/** A store that is closed when the test ends. */
function open(path = ':memory:', openingMicroRub = 100, name = brand): Sql {
  const sql = openStore({ path, brand: name, openingMicroRub, nowMs: 5 });
  onTestFinished(() => sql.close());
  return sql;
}

function usage(id: string, priceMicroRub: number): Usage {
  const call = { id, model: 'local/echo', route: ':standard', createdAtMs: 7 };
  return { ...call, promptTokens: 1, completionTokens: 2, priceMicroRub };
}

function owner(sql: Sql) {
  const caller = findCaller(sql, 'sk-svc-local');
  if (!caller) throw new Error('the key is not in the store');
  return caller;
}

it('openStore makes the file and its folder for their owner alone', () => {
  const folder = join(testFolder(), 'a', 'b');
  const path = join(folder, 'local.sqlite');
  const sql = open(path);
  debit(sql, owner(sql), usage('gen_1', 1));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of [path, `${path}-wal`, `${path}-shm`]) {
    expect(statSync(name).mode & 0o777, name).toBe(0o600);
  }
});

it('a second connection of a process keeps its locks, so that no other process removes its log', () => {
  const path = join(testFolder(), 'local.sqlite');
  const first = open(path);
  open(path);
  // The last process to close a database removes its log.
  const script =
    'const db = new (require("libsql"))(process.argv[1]); db.exec("SELECT * FROM keys"); db.close()';
  execFileSync(process.execPath, ['-e', script, path]);
  expect(existsSync(`${path}-wal`)).toBe(true);
  expect(existsSync(`${path}-shm`)).toBe(true);
  debit(first, owner(first), usage('gen_1', 30));
  expect(balanceMicroRub(open(path), 'local')).toBe(70);
});

it('openStore finds the same ledger again, and gives no second opening balance', () => {
  const path = join(testFolder(), 'local.sqlite');
  const first = open(path);
  debit(first, owner(first), usage('gen_1', 30));
  first.close();
  const second = open(path, 999);
  expect(balanceMicroRub(second, 'local')).toBe(70);
  expect(findUsage(second, 'local', 'gen_1')).toMatchObject(usage('gen_1', 30));
});

it('openStore starts afresh when the file was deleted and its side files were left behind', () => {
  const folder = testFolder();
  const path = join(folder, 'local.sqlite');
  const first = open(path);
  debit(first, owner(first), usage('gen_1', 30));
  const left = join(folder, 'again.sqlite');
  for (const side of ['-wal', '-shm']) copyFileSync(path + side, left + side);
  first.close();
  const second = open(left);
  expect(balanceMicroRub(second, 'local')).toBe(100);
  expect(debit(second, owner(second), usage('gen_1', 30))).toBe(true);
});

it('openStore sees at once what another connection has written, and the other way round', () => {
  const path = join(testFolder(), 'local.sqlite');
  const [one, other] = [open(path), open(path)];
  const owned = owner(one);
  for (let i = 0; i < 5; i += 1) {
    const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one];
    expect(balanceMicroRub(reader, 'local')).toBe(100 - i * 10);
    debit(writer, owned, usage(`gen_${i}`, 10));
    expect(balanceMicroRub(reader, 'local')).toBe(90 - i * 10);
    expect(findUsage(reader, 'local', `gen_${i}`)?.priceMicroRub).toBe(10);
  }
});

it('openStore adds the keys of another brand to the same accounts', () => {
  const path = join(testFolder(), 'local.sqlite');
  open(path).close();
  const sql = open(path, 5, brandFrom('acme'));
  expect(findCaller(sql, 'sk-acme-local')?.accountId).toBe('local');
  expect(findCaller(sql, 'sk-svc-local')?.accountId).toBe('local');
  expect(balanceMicroRub(sql, 'local')).toBe(100);
});

it('openStore keeps no key in clear', () => {
  const path = join(testFolder(), 'local.sqlite');
  const sql = open(path);
  const dump = JSON.stringify(
    sql.all(KeyDump, 'SELECT quote(hash) || quote(name) AS row FROM keys'),
  );
  expect(dump).not.toContain('sk-svc');
});

it.each([
  [schemaVersion + 1, 'a newer svc: update svc, or move the file away'],
  [schemaVersion - 1, 'an older svc: move the file away'],
])('openStore refuses a file of the version %d, and leaves it as it is', (version, why) => {
  const path = join(testFolder(), 'local.sqlite');
  const other = new Sql(path);
  other.exec(`PRAGMA user_version = ${version}`);
  other.close();
  expect(() => open(path)).toThrow(StoreError);
  expect(() => open(path)).toThrow(`store ${path} was written by ${why}`);
});

it('openStore names a file that is not a store', () => {
  const path = join(testFolder(), 'notes.txt');
  writeFileSync(path, 'these are my notes, not a database\n'.repeat(100));
  expect(() => open(path)).toThrow(StoreError);
  expect(() => open(path)).toThrow(path);
});

it('openStore names a file that cannot be created', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'taken'));
  expect(() => open(join(folder, 'taken'))).toThrow(StoreError);
});

it('debit takes the last of a balance, but not more', () => {
  const sql = open();
  expect(debit(sql, owner(sql), usage('gen_1', 100))).toBe(true);
  expect(debit(sql, owner(sql), usage('gen_2', 1))).toBe(false);
  expect(balanceMicroRub(sql, 'local')).toBe(0);
  expect(findUsage(sql, 'local', 'gen_2')).toBeUndefined();
});

it('debit takes nothing when the record cannot be written', () => {
  const sql = open();
  debit(sql, owner(sql), usage('gen_1', 10));
  expect(() => debit(sql, owner(sql), usage('gen_1', 10))).toThrow(/UNIQUE/);
  expect(balanceMicroRub(sql, 'local')).toBe(90);
  expect(debit(sql, owner(sql), usage('gen_2', 10))).toBe(true);
});

const refund = { id: 'gen_2', createdAtMs: 8 };

it('giveBack returns a price with a record of its own, and never twice', () => {
  const sql = open();
  debit(sql, owner(sql), usage('gen_1', 30));
  sql.transaction(() => giveBack(sql, owner(sql), 'gen_1', refund));
  expect(balanceMicroRub(sql, 'local')).toBe(100);
  expect(findUsage(sql, 'local', 'gen_2')).toMatchObject({
    priceMicroRub: -30,
    refundOf: 'gen_1',
    promptTokens: 0,
  });
  const again = () =>
    sql.transaction(() => giveBack(sql, owner(sql), 'gen_1', { ...refund, id: 'gen_3' }));
  expect(again).toThrow(/UNIQUE/);
  expect(balanceMicroRub(sql, 'local')).toBe(100);
});

it('giveBack returns nothing for an unknown record', () => {
  const sql = open();
  sql.transaction(() => giveBack(sql, owner(sql), 'gen_1', refund));
  expect(balanceMicroRub(sql, 'local')).toBe(100);
  expect(findUsage(sql, 'local', 'gen_2')).toBeUndefined();
});
