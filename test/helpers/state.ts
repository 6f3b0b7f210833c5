/** The ledger in the state database of a home, as texts. */
import * as z from 'zod/mini';
import { StateDatabase } from '../../src/state/database.js';
import { pathsFrom } from '../../src/state/paths.js';

type Book = 'jobs' | 'requests';

export const databaseIn = (home: string) => new StateDatabase(pathsFrom({ SVC_CONFIG_DIR: home }));

export function ledgerTexts(home: string, book: Book = 'jobs'): string[] {
  const row = z.object({ event: z.string() });
  const sql = 'SELECT event FROM ledger WHERE book = ? ORDER BY seq';
  return databaseIn(home)
    .all(row, sql, book)
    .map(({ event }) => event);
}

/** Puts other texts in the place of what stands there. */
export function changeLedger(
  home: string,
  change: (texts: string[]) => readonly string[],
  book: Book = 'jobs',
): void {
  const texts = change(ledgerTexts(home, book));
  const database = databaseIn(home);
  database.run('DELETE FROM ledger WHERE book = ?', book);
  for (const text of texts)
    database.run('INSERT INTO ledger (book, event) VALUES (?, ?)', book, text);
}

/** The run ended well, but died before it could say so. */
export function forgetEnd(home: string, book?: Book): void {
  changeLedger(home, (texts) => texts.filter((text) => !text.includes('"closed"')), book);
}

export function keptIncidents(home: string): string[] {
  const row = z.object({ incident: z.string() });
  return databaseIn(home)
    .all(row, 'SELECT incident FROM incidents ORDER BY rowid')
    .map(({ incident }) => incident);
}
