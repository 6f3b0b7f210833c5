/** Conversations: each turn of a chat, with its price; equal contents are stored once. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parsedJson, toJson } from '../lib/json.js';
import { usualName } from '../lib/names.js';
import type { Value } from '../lib/sql.js';
import { namesOfService, type Account } from './account.js';
import { StateDatabase } from './database.js';
import type { Paths } from './paths.js';
import { conditions, type TurnFilter } from './turn-filter.js';

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
  /** The program that asked, of `svc run`; a state.db of an older svc lacks the column. */
  program: z.optional(text),
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

type StoredField =
  'parent' | 'atMs' | 'model' | 'format' | 'generationId' | 'priceRub' | 'inputTokens';

export interface NewTurn extends Pick<Turn, StoredField | 'outputTokens' | 'ms' | 'finishReason'> {
  readonly account: Pick<Account, 'service' | 'keyHash'>;
  /** That which asked, if it was not svc. */
  readonly program?: string;
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

const Totals = z.object({
  turns: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  priceRub: z.number(),
  /** Of so many turns the price is missing. */
  unknownPrices: z.number(),
});

/** Of a question in a list; its messages hold all of it. */
const maxQuestionLength = 2000;
/** Indexing an answer without end would keep Ctrl-C waiting. */
const maxSearchedLength = 500_000;

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
  // Their answers may be there too (cache.ts).
  'DELETE FROM cache',
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

/**
 * The log of conversations in state.db, which is opened when it is used. All methods throw
 * LocalFileError; none but `add` and the changes creates the file.
 */
export class Log {
  readonly #database: StateDatabase;

  /** @param waitMs how long `add` and `setPrice` wait for other processes */
  constructor(
    paths: Paths,
    private readonly waitMs = 1000,
  ) {
    this.#database = new StateDatabase(paths, 'the log');
  }

  get path(): string {
    return this.#database.path;
  }

  turn(id: number): Turn | undefined {
    return this.turns({ id })[0];
  }

  /** Newest first. */
  turns(filter: TurnFilter, limit = -1): Turn[] {
    const { from, order, where, values } = conditions(filter);
    const find = `SELECT ${columns} FROM ${from} ${named} ${where} ORDER BY ${order} DESC LIMIT ?`;
    return this.#database.all(Turn, find, ...values, limit);
  }

  /** The turns from the first of a conversation to this one. */
  thread(id: number): Turn[] {
    const find = `WITH RECURSIVE back (at) AS (VALUES (?) UNION
        SELECT parent FROM turns JOIN back ON turns.id = back.at WHERE parent IS NOT NULL)
      SELECT ${columns} FROM turns ${named} JOIN back ON turns.id = back.at ORDER BY turns.id`;
    return this.#database.all(Turn, find, id);
  }

  totals(filter: TurnFilter): z.output<typeof Totals> {
    const { from, where, values } = conditions(filter);
    const select = `SELECT count(*) AS turns, total(inputTokens) AS inputTokens,
      total(outputTokens) AS outputTokens,
      round(total(coalesce(priceRub, searchRub)), 9) AS priceRub,
      count(*) - count(priceRub) AS unknownPrices FROM ${from} ${where}`;
    const [totals] = this.#database.all(Totals, select, ...values);
    return totals ?? { turns: 0, inputTokens: 0, outputTokens: 0, priceRub: 0, unknownPrices: 0 };
  }

  /** What a hash of a turn stands for; undefined if it is damaged. */
  content(hash: string): unknown {
    const Content = z.object({ content: z.string() });
    const [row] = this.#database.all(Content, 'SELECT content FROM contents WHERE hash = ?', hash);
    return row && parsedJson(row.content);
  }

  /** By name, or by id as people see it: `c12`. */
  conversation(nameOrId: string): Conversation | undefined {
    const name = usualName(nameOrId);
    const [, id = '0'] = /^c(\d{1,15})$/.exec(name) ?? [];
    const find = `${counted} WHERE name = ? OR id = ?`;
    return this.#database.all(Conversation, find, name, Number(id))[0];
  }

  /** The one that a person has continued last at this service: no program's. */
  latest(service: string): Conversation | undefined {
    const find = `${counted} WHERE EXISTS (SELECT 1 FROM turns WHERE id = head AND program IS NULL
        AND service IN (SELECT value FROM json_each(?)))
      ORDER BY changedAtMs DESC, id DESC LIMIT 1`;
    return this.#database.all(Conversation, find, namesOfService(service))[0];
  }

  /** Those with the latest turns first. @param service only those that continue at this service. */
  conversations(limit: number, service: string | null = null): Conversation[] {
    const find = `${counted} WHERE ? IS NULL
      OR (SELECT service FROM turns WHERE id = head) IN (SELECT value FROM json_each(?))
      ORDER BY changedAtMs DESC, id DESC LIMIT ?`;
    const names = service === null ? '[]' : namesOfService(service);
    return this.#database.all(Conversation, find, service, names, limit);
  }

  /** @returns the ids of the turn and of its conversation. */
  add(turn: NewTurn): { readonly id: number; readonly conversation: number } {
    return this.#database.quickTransaction(this.waitMs, () => {
      const { account, name, request, asked, answered, question, answer, ...values } = turn;
      const find = 'SELECT id FROM conversations WHERE id = ? OR name = ?';
      const known = this.#idOf(find, values.conversation ?? 0, name ?? null);
      const conversation = known === 0 ? this.#create(name, turn.atMs) : known;
      const row = {
        ...values,
        conversation,
        service: account.service,
        keyHash: account.keyHash,
        request: this.#keep(request),
        question: question.slice(0, maxQuestionLength),
        asked: JSON.stringify(asked.map((message) => this.#keep(message))),
        answered: answered === undefined ? null : this.#keep(answered),
        isComplete: values.isComplete ? 1 : 0,
      };
      const names = Object.keys(row);
      const places = names.map(() => '?').join();
      const insert = `INSERT INTO turns (${names.join()}) VALUES (${places}) RETURNING id`;
      const id = this.#idOf(insert, ...Object.values(row));
      const index = 'INSERT INTO turn_texts (rowid, question, answer) VALUES (?, ?, ?)';
      const texts = [question, answer.slice(0, maxSearchedLength)];
      this.#database.run(index, id, ...texts.map((one) => one.normalize('NFC')));
      if (answered !== undefined) this.setHead(conversation, id, turn.atMs);
      return { id, conversation };
    });
  }

  /** The price of an answer that became known later. */
  setPrice(id: number, answerRub: number): void {
    const set = 'UPDATE turns SET priceRub = round(? + coalesce(searchRub, 0), 9) WHERE id = ?';
    this.#database.quickTransaction(this.waitMs, () => this.#database.run(set, answerRub, id));
  }

  /** The next turn follows `head`: later ones stay in the log. */
  setHead(conversation: number, head: number | null, atMs: number): void {
    const move = 'UPDATE conversations SET head = ?, changedAtMs = ? WHERE id = ?';
    this.#database.run(move, head, atMs, conversation);
  }

  /** A new conversation whose next turn follows this one. @returns its id. */
  branch(head: number | null, atMs: number, name?: string): number {
    return this.#database.transaction(() => {
      const id = this.#create(name, atMs);
      this.setHead(id, head, atMs);
      return id;
    });
  }

  rename(conversation: number, name: string): void {
    this.#database.run('UPDATE conversations SET name = ? WHERE id = ?', name, conversation);
  }

  /** Nothing of the turns stays in the file. @returns how many there were. */
  delete(filter: TurnFilter): number {
    const { from, where, values } = conditions(filter);
    const pragma = (words: string) => this.#database.all(z.unknown(), `PRAGMA ${words}`);
    pragma('secure_delete = ON');
    const count = this.#database.transaction(() => {
      this.#database.run('CREATE TEMP TABLE deleted (id INTEGER PRIMARY KEY, parent INTEGER)');
      const choose = `INSERT INTO deleted SELECT turns.id, turns.parent FROM ${from} ${where}`;
      const chosen = this.#database.run(choose, ...values);
      for (const sql of deletion) this.#database.run(sql);
      const { conversation } = filter;
      if (conversation !== undefined)
        this.#database.run('DELETE FROM conversations WHERE id = ?', conversation);
      return chosen;
    });
    // What was written lately is also in the file of the write-ahead log.
    pragma('wal_checkpoint(TRUNCATE)');
    return count;
  }

  /** @returns the hash of a content, which is stored once. */
  #keep(content: unknown): string {
    const json = toJson(content);
    const hash = createHash('sha256').update(json).digest('hex').slice(0, 32);
    this.#database.run('INSERT OR IGNORE INTO contents VALUES (?, ?)', hash, json);
    return hash;
  }

  #idOf(sql: string, ...values: Value[]): number {
    const [row] = this.#database.all(z.object({ id: z.number() }), sql, ...values);
    return row?.id ?? 0;
  }

  #create(name: string | undefined, atMs: number): number {
    const insert = 'INSERT INTO conversations (name, changedAtMs) VALUES (?, ?) RETURNING id';
    return this.#idOf(insert, name ?? null, atMs);
  }
}
