import { Sql } from '../../src/lib/sql.js';

/** Whether this SQLite counts the steps of its statements: libsql's does, and that of Node not. */
export const countsSteps: boolean =
  new Sql(':memory:').number(
    "SELECT count(*) FROM pragma_module_list WHERE name = 'sqlite_stmt'",
  ) === 1;
