/** Which turns of the log are wanted, and as SQL. */
import { folded } from '../lib/names.js';
import type { Value } from '../lib/sql.js';
import { namesOfService, type Account } from './account.js';

export interface TurnFilter {
  /** All must occur in the question or the answer; the last may be the start of a word. */
  readonly words?: string;
  readonly model?: string;
  /** The name of the program that asked. */
  readonly program?: string;
  readonly sinceMs?: number;
  readonly beforeMs?: number;
  readonly conversation?: number;
  readonly id?: number;
  /** Only turns of this account whose price is missing but can be looked up. */
  readonly unpricedOf?: Pick<Account, 'service' | 'keyHash'>;
}

/** What comes after SELECT, and the order of the turns. */
export function conditions({ words = '', unpricedOf: account, ...filter }: TurnFilter) {
  const terms = words.match(/\S+/g)?.map(spellings) ?? [];
  const last = terms.pop()?.map((one) => `${one}*`);
  const all = last ? [...terms, last] : [];
  const conditions: [sql: string, value: Value | undefined][] = [
    ['turn_texts MATCH ?', last && all.map((one) => `(${one.join(' OR ')})`).join(' AND ')],
    ['turns.id = ?', filter.id],
    ['turns.model = ?', filter.model],
    ['turns.program = ?', filter.program],
    ['turns.atMs >= ?', filter.sinceMs],
    ['turns.atMs < ?', filter.beforeMs],
    ['turns.conversation = ?', filter.conversation],
    [
      'priceRub IS NULL AND generationId IS NOT NULL AND service IN (SELECT value FROM json_each(?))',
      account && namesOfService(account.service),
    ],
    ['keyHash = ?', account?.keyHash],
  ];
  const present = conditions.filter(([, value]) => value !== undefined);
  const sql = present.map(([sql]) => sql).join(' AND ');
  const where = sql === '' ? '' : `WHERE ${sql}`;
  const values = present.map(([, value]) => value ?? null);
  if (!last) return { from: 'turns', order: 'turns.id', where, values };
  // From the index to the turns: the newest come first without sorting.
  const from = 'turn_texts CROSS JOIN turns ON turns.id = turn_texts.rowid';
  return { from, order: 'turn_texts.rowid', where, values };
}

const maxSpellings = 256;

/** A word as the index may have it, with each е as ё too. */
function spellings(word: string): string[] {
  let all = [''];
  for (const letter of folded(word)) {
    const isEither = letter.toLowerCase() === 'е' && all.length < maxSpellings;
    const letters = isEither ? ['е', 'ё'] : [letter];
    all = all.flatMap((start) => letters.map((end) => start + end));
  }
  return all.map((one) => `"${one.replaceAll('"', '""')}"`);
}
