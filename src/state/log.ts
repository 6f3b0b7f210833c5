/** Conversations: each turn of a chat, with its price; equal contents are stored once. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parsedJson, toJson } from '../lib/json.js';
import { folded } from '../lib/names.js';
import type { Value } from '../lib/sql.js';
import { namesOfService, type Account } from './account.js';
import { stateDatabase } from './database.js';
import type { Paths } from './paths.js';

const text = z.nullable(z.string());
const number = z.nullable(z.number());

const Turn = z.object({
  id: z.number(),
  conversation: z.number(),
  /** The turn that it follows; null for the first. */
  parent: number,
  atMs: z.number(),
  service: z.string(),
  keyHash: z.string(),
  model: z.string(),
  format: z.enum(['chat', 'messages', 'responses']),
  /** The hash of the request without its messages (its system prompt, tools and options). */
  request: z.string(),
  /** The start of what the user wrote. */
  question: z.string(),
  /** The hashes of the messages that this turn added, as JSON. */
  asked: z.string(),
  /** The hash of the answer; null where no text, reasoning or call arrived. */
  answered: text,
  generationId: text,
  priceRub: number,
  inputTokens: number,
  outputTokens: number,
  ms: number,
  finishReason: text,
  isComplete: z.number(),
  /** The name of its conversation. */
  name: text,
});
export type Turn = z.output<typeof Turn>;

const Conversation = z.object({
  id: z.number(),
  name: text,
  head: number,
  changedAtMs: z.number(),
  turns: z.number(),
  /** Of its first turn, or of the one that a branch continues. */
  question: text,
});
/** `head` is the turn that the next one follows. */
export type Conversation = z.output<typeof Conversation>;

type Given = 'parent' | 'atMs' | 'model' | 'format' | 'generationId' | 'priceRub' | 'inputTokens';

export interface NewTurn extends Pick<Turn, Given | 'outputTokens' | 'ms' | 'finishReason'> {
  readonly account: Pick<Account, 'service' | 'keyHash'>;
  /** The part of its price that is known before that of the answer. */
  readonly searchRub?: number;
  /** The conversation that it continues; a new one, perhaps with a name, when absent. */
  readonly conversation?: number;
  readonly name?: string;
  readonly request: unknown;
  readonly asked: readonly unknown[];
  readonly answered?: unknown;
  /** What a search finds it by; of the answer, the first 500,000 characters. */
  readonly question: string;
  readonly answer: string;
  readonly isComplete: boolean;
}

export interface TurnFilter {
  /** All must occur in the question or the answer; the last may be the start of a word. */
  readonly words?: string;
  readonly model?: string;
  readonly sinceMs?: number;
  readonly beforeMs?: number;
  readonly conversation?: number;
  readonly id?: number;
  /** Only turns of this account whose price is missing but can be looked up. */
  readonly unpricedOf?: Pick<Account, 'service' | 'keyHash'>;
}

const Totals = z.object({
  turns: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  priceRub: z.number(),
  /** Of so many turns the price is missing. */
  unknownPrices: z.number(),
});

/** Of a question in a list; its messages hold all of it. */
const mostQuestionLength = 2000;
/** Indexing an answer without end would keep Ctrl-C waiting. */
const mostSearchedLength = 500_000;

const columns = 'turns.*, conversations.name';
const named = 'JOIN conversations ON conversations.id = turns.conversation';
const own = 'FROM turns WHERE conversation = conversations.id';
const counted = `SELECT id, name, head, changedAtMs, (SELECT count(*) ${own}) AS turns,
  coalesce((SELECT question ${own} ORDER BY id LIMIT 1),
    (SELECT question FROM turns WHERE id = head)) AS question FROM conversations`;

/** What deletes the turns in `deleted`; what follows one of them then follows the turn before it. */
const deletion = [
  'DELETE FROM turns WHERE id IN (SELECT id FROM deleted)',
  'DELETE FROM turn_texts WHERE rowid IN (SELECT id FROM deleted)',
  'DELETE FROM tool_calls WHERE turn IN (SELECT id FROM deleted)',
  "INSERT INTO turn_texts (turn_texts) VALUES ('optimize')",
  ...[
    ['turns', 'parent'],
    ['conversations', 'head'],
  ].map(
    ([table, link]) => `WITH RECURSIVE up (id, at) AS (
       SELECT id, ${link} FROM ${table} WHERE ${link} IN (SELECT id FROM deleted)
       UNION ALL SELECT up.id, deleted.parent FROM up JOIN deleted ON deleted.id = up.at)
     UPDATE ${table} SET ${link} = up.at FROM up
     WHERE up.id = ${table}.id AND (up.at IS NULL OR up.at NOT IN (SELECT id FROM deleted))`,
  ),
  `DELETE FROM conversations
     WHERE head IS NULL AND id NOT IN (SELECT conversation FROM turns)`,
  `DELETE FROM contents WHERE hash NOT IN (
     SELECT request FROM turns UNION ALL
     SELECT answered FROM turns WHERE answered IS NOT NULL UNION ALL
     SELECT value FROM turns, json_each(turns.asked))`,
  'DROP TABLE deleted',
];

export type Log = ReturnType<typeof openLog>;

/** Opens nothing yet. All throw LocalFileError; none but `add` and the changes creates the file. */
export function openLog(paths: Paths) {
  const database = stateDatabase(paths, 'the log');
  const keep = (content: unknown): string => {
    const json = toJson(content);
    const hash = createHash('sha256').update(json).digest('hex').slice(0, 32);
    database.run('INSERT OR IGNORE INTO contents VALUES (?, ?)', hash, json);
    return hash;
  };
  const idOf = (sql: string, ...values: Value[]): number => {
    const [row] = database.all(z.object({ id: z.number() }), sql, ...values);
    return row?.id ?? 0;
  };
  const create = (name: string | undefined, atMs: number): number => {
    const insert = 'INSERT INTO conversations (name, changedAtMs) VALUES (?, ?) RETURNING id';
    return idOf(insert, name ?? null, atMs);
  };
  /** The next turn follows `head`: later ones stay in the log. */
  const setHead = (conversation: number, head: number | null, atMs: number) => {
    const move = 'UPDATE conversations SET head = ?, changedAtMs = ? WHERE id = ?';
    database.run(move, head, atMs, conversation);
  };
  /** Newest first. */
  const turns = (filter: TurnFilter, limit = -1): Turn[] => {
    const { from, order, where, values } = conditions(filter);
    const find = `SELECT ${columns} FROM ${from} ${named} ${where} ORDER BY ${order} DESC LIMIT ?`;
    return database.all(Turn, find, ...values, limit);
  };
  return {
    path: database.path,
    setHead,
    turns,
    turn: (id: number): Turn | undefined => turns({ id })[0],
    /** @returns the ids of the turn and of its conversation. */
    add: (turn: NewTurn): { readonly id: number; readonly conversation: number } =>
      database.quickTransaction(() => {
        const { account, name, request, asked, answered, question, answer, ...given } = turn;
        const find = 'SELECT id FROM conversations WHERE id = ? OR name = ?';
        const known = idOf(find, given.conversation ?? 0, name ?? null);
        const conversation = known === 0 ? create(name, turn.atMs) : known;
        const values = {
          ...given,
          conversation,
          service: account.service,
          keyHash: account.keyHash,
          request: keep(request),
          question: question.slice(0, mostQuestionLength),
          asked: JSON.stringify(asked.map(keep)),
          answered: answered === undefined ? null : keep(answered),
          isComplete: given.isComplete ? 1 : 0,
        };
        const names = Object.keys(values);
        const places = names.map(() => '?').join();
        const insert = `INSERT INTO turns (${names.join()}) VALUES (${places}) RETURNING id`;
        const id = idOf(insert, ...Object.values(values));
        const index = 'INSERT INTO turn_texts (rowid, question, answer) VALUES (?, ?, ?)';
        const texts = [question, answer.slice(0, mostSearchedLength)];
        database.run(index, id, ...texts.map((one) => one.normalize('NFC')));
        if (answered !== undefined) setHead(conversation, id, turn.atMs);
        return { id, conversation };
      }),
    /** The price of an answer that became known later. */
    setPrice: (id: number, answerRub: number) => {
      const set = 'UPDATE turns SET priceRub = ? + coalesce(searchRub, 0) WHERE id = ?';
      database.run(set, answerRub, id);
    },
    totals: (filter: TurnFilter): z.output<typeof Totals> => {
      const { from, where, values } = conditions(filter);
      const select = `SELECT count(*) AS turns, total(inputTokens) AS inputTokens,
        total(outputTokens) AS outputTokens,
        round(total(coalesce(priceRub, searchRub)), 9) AS priceRub,
        count(*) - count(priceRub) AS unknownPrices FROM ${from} ${where}`;
      const [totals] = database.all(Totals, select, ...values);
      return totals ?? { turns: 0, inputTokens: 0, outputTokens: 0, priceRub: 0, unknownPrices: 0 };
    },
    /** The turns from the first of a conversation to this one. */
    thread: (id: number): Turn[] => {
      const find = `WITH RECURSIVE back (at) AS (VALUES (?) UNION
          SELECT parent FROM turns JOIN back ON turns.id = back.at WHERE parent IS NOT NULL)
        SELECT ${columns} FROM turns ${named} JOIN back ON turns.id = back.at ORDER BY turns.id`;
      return database.all(Turn, find, id);
    },
    /** What a hash of a turn stands for; undefined if it is damaged. */
    content: (hash: string): unknown => {
      const Row = z.object({ content: z.string() });
      const [row] = database.all(Row, 'SELECT content FROM contents WHERE hash = ?', hash);
      return row && parsedJson(row.content);
    },
    /** By name, or by id as people see it: `c12`. */
    conversation: (nameOrId: string): Conversation | undefined => {
      const [, id = '0'] = /^c(\d{1,15})$/.exec(nameOrId) ?? [];
      const find = `${counted} WHERE name = ? OR id = ?`;
      return database.all(Conversation, find, nameOrId, Number(id))[0];
    },
    /** Those with the latest turns first. @param service only those that continue at this service. */
    conversations: (limit: number, service: string | null = null): Conversation[] => {
      const find = `${counted} WHERE ? IS NULL
        OR (SELECT service FROM turns WHERE id = head) IN (SELECT value FROM json_each(?))
        ORDER BY changedAtMs DESC, id DESC LIMIT ?`;
      const names = service === null ? '[]' : namesOfService(service);
      return database.all(Conversation, find, service, names, limit);
    },
    /** A new conversation whose next turn follows this one. @returns its id. */
    branch: (head: number | null, atMs: number, name?: string): number =>
      database.transaction(() => {
        const id = create(name, atMs);
        setHead(id, head, atMs);
        return id;
      }),
    rename: (conversation: number, name: string) =>
      database.run('UPDATE conversations SET name = ? WHERE id = ?', name, conversation),
    /** Nothing of the turns stays in the file. @returns how many there were. */
    delete: (filter: TurnFilter): number => {
      const { from, where, values } = conditions(filter);
      const pragma = (words: string) => database.all(z.unknown(), `PRAGMA ${words}`);
      pragma('secure_delete = ON');
      const count = database.transaction(() => {
        database.run('CREATE TEMP TABLE deleted (id INTEGER PRIMARY KEY, parent INTEGER)');
        const choose = `INSERT INTO deleted SELECT turns.id, turns.parent FROM ${from} ${where}`;
        const chosen = database.run(choose, ...values);
        for (const sql of deletion) database.run(sql);
        const { conversation } = filter;
        if (conversation !== undefined)
          database.run('DELETE FROM conversations WHERE id = ?', conversation);
        return chosen;
      });
      // What was written lately is also in the file of the write-ahead log.
      pragma('wal_checkpoint(TRUNCATE)');
      return count;
    },
  };
}

function conditions({ words = '', unpricedOf: account, ...filter }: TurnFilter) {
  const terms = words.match(/\S+/g)?.map(spellings) ?? [];
  const last = terms.pop()?.map((one) => `${one}*`);
  const all = last ? [...terms, last] : [];
  const wanted: [sql: string, value: Value | undefined][] = [
    ['turn_texts MATCH ?', last && all.map((one) => `(${one.join(' OR ')})`).join(' AND ')],
    ['turns.id = ?', filter.id],
    ['turns.model = ?', filter.model],
    ['turns.atMs >= ?', filter.sinceMs],
    ['turns.atMs < ?', filter.beforeMs],
    ['turns.conversation = ?', filter.conversation],
    [
      'priceRub IS NULL AND generationId IS NOT NULL AND service IN (SELECT value FROM json_each(?))',
      account && namesOfService(account.service),
    ],
    ['keyHash = ?', account?.keyHash],
  ];
  const given = wanted.filter(([, value]) => value !== undefined);
  const conditions = given.map(([sql]) => sql).join(' AND ');
  const where = conditions === '' ? '' : `WHERE ${conditions}`;
  const values = given.map(([, value]) => value ?? null);
  if (!last) return { from: 'turns', order: 'turns.id', where, values };
  // From the index to the turns: the newest come first without sorting.
  const from = 'turn_texts CROSS JOIN turns ON turns.id = turn_texts.rowid';
  return { from, order: 'turn_texts.rowid', where, values };
}

const mostSpellings = 256;

/** A word as the index may have it, with each е as ё too. */
function spellings(word: string): string[] {
  let all = [''];
  for (const letter of folded(word)) {
    const isEither = letter.toLowerCase() === 'е' && all.length < mostSpellings;
    const letters = isEither ? ['е', 'ё'] : [letter];
    all = all.flatMap((start) => letters.map((end) => start + end));
  }
  return all.map((one) => `"${one.replaceAll('"', '""')}"`);
}
