/** The SQLite helper, under the name that the service has for it. */
export { isBusy, Sql, type Value } from '../../lib/sql.js';
