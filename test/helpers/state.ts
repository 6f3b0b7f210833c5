/** The ledger in the state database of a home, as texts. */
import * as z from 'zod/mini';
import { StateDatabase } from '../../src/state/database.js';
import { isRecord, recordOf } from '../../src/lib/json.js';
import { pathsFrom } from '../../src/state/paths.js';

const books = ['jobs', 'requests'] as const;
type Book = (typeof books)[number];

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

/** A process id that no system gives. */
const noPid = 2 ** 31 - 2;

/** From now on the processes of the ledger are gone. */
export function leaveOwners(home: string, book?: Book): void {
  changeLedger(
    home,
    (texts) => texts.map((text) => text.replace(/"pid":\d+/g, `"pid":${noPid}`)),
    book,
  );
}

/** From now on nobody can know whether the processes of the ledger run. */
export function hideOwners(home: string, isKept = (text: string) => text !== ''): void {
  const place = { host: 'container', boot: 'other', machine: 'other' };
  const hidden = (text: string) => {
    const event = recordOf(JSON.parse(text));
    const { owner } = event;
    return isRecord(owner) ? JSON.stringify({ ...event, owner: { ...owner, ...place } }) : text;
  };
  for (const book of books) changeLedger(home, (texts) => texts.filter(isKept).map(hidden), book);
}

/** As if svc had been killed before an answer came to its first request. */
export function killedIn(home: string): void {
  for (const book of books) {
    leaveOwners(home, book);
    const isFirst = (text: string) => text.includes('"wanted"');
    changeLedger(home, (texts) => texts.filter(isFirst).slice(0, 1), book);
  }
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
