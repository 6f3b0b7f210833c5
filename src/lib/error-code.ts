/** SQLite's names of its errors, in the order of their numbers. */
const ofSqlite =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL ' +
  'CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB';

/**
 * The machine word of a system error: `ENOENT`; undefined when it has none. What node:sqlite throws
 * has a number, and a word of SQLite here, as libsql has it: `SQLITE_BUSY`.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  if (error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error) {
    // The higher bits say more of some.
    return `SQLITE_${ofSqlite.split(' ')[Number(error.errcode) & 0xff] ?? 'ERROR'}`;
  }
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether another process held the lock of a database for too long; nothing was changed. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error) ?? '');
}
