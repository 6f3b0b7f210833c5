import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { codeOf, isBusy } from '../../src/lib/error-code.js';
import { Sql } from '../../src/lib/sql.js';
import { testFolder } from '../helpers/folder.js';

const Row = z.object({ a: z.number(), b: z.unknown() });
const Bytes = z.union([z.instanceof(ArrayBuffer), z.instanceof(Uint8Array)]);

/** A database that is closed when the test ends. */
function open(path = ':memory:'): Sql {
  const sql = new Sql(path, 0);
  onTestFinished(() => sql.close());
  sql.exec('CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY, b)');
  return sql;
}

it('reads rows and numbers, and counts what has changed', () => {
  const sql = open();
  expect(sql.run('INSERT INTO t VALUES (1, ?), (2, ?)', new Uint8Array([1, 255]), null)).toBe(2);
  expect(sql.run('UPDATE t SET a = a WHERE a > 2')).toBe(0);
  const [first] = sql.all(Row, 'SELECT * FROM t ORDER BY a');
  expect([...new Uint8Array(Bytes.parse(first?.b))]).toEqual([1, 255]);
  expect(sql.get(Row, 'SELECT * FROM t WHERE a = ?', 2)).toEqual({ a: 2, b: null });
  expect(sql.get(Row, 'SELECT * FROM t WHERE a = ?', 3)).toBeUndefined();
  expect(sql.number('SELECT count(*) FROM t')).toBe(2);
  expect(sql.number('SELECT a FROM t WHERE a = 3')).toBeUndefined();
});

it('reads integers above 2^53 as the nearest number, and writes them', () => {
  const sql = open();
  expect(sql.run('INSERT INTO t VALUES (?, ?)', 2 ** 60, 'x')).toBe(1);
  expect(sql.all(Row, 'SELECT * FROM t')).toEqual([{ a: 2 ** 60, b: 'x' }]);
});

it('names what SQLite throws as SQLite does', () => {
  const path = join(testFolder(), 'a.db');
  const [one, two] = [open(path), open(path)];
  const thrownBy = (sql: Sql, text: string): unknown => {
    try {
      return sql.run(text);
    } catch (error) {
      return error;
    }
  };
  one.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 1)');
  expect(isBusy(thrownBy(two, 'BEGIN IMMEDIATE'))).toBe(true);
  const twice = thrownBy(one, 'INSERT INTO t VALUES (1, 1)');
  expect([codeOf(twice)?.slice(0, 17), isBusy(twice)]).toEqual(['SQLITE_CONSTRAINT', false]);
  expect(codeOf(thrownBy(one, 'SELEC'))).toBe('SQLITE_ERROR');
  expect(codeOf({ code: 'ERR_SQLITE_ERROR', errcode: 14 + 3 * 256 })).toBe('SQLITE_CANTOPEN');
  const text = join(testFolder(), 'text.db');
  writeFileSync(text, 'x'.repeat(5000));
  expect(codeOf(thrownBy(new Sql(text), 'SELECT * FROM t'))).toBe('SQLITE_NOTADB');
});
