/** Answers that are kept for a while (--cache): the same request is answered from them for nothing. */
import * as z from 'zod/mini';
import type { Clock } from '../lib/clock.js';
import { parsedJson } from '../lib/json.js';
import { StateDatabase } from './database.js';
import type { Paths } from './paths.js';

/** An answer as it came; of its headers those that readers need. */
interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The most that is kept of one answer, and of all; beside its bytes each takes some room. */
const maxAnswerBytes = 8 * 1024 * 1024;
const maxBytes = 64 * 1024 * 1024;
const bytesBeside = 512;
/** What is kept before it is written, which takes a few milliseconds. */
const maxWaiting = 256;
const maxWaitingBytes = 1024 * 1024;
/** For other processes that write: a cache is worth no more. */
const waitMs = 500;

const Row = z.object({
  status: z.number(),
  headers: z.string(),
  body: z.union([z.instanceof(Uint8Array), z.instanceof(ArrayBuffer)]),
});
const Headers = z.record(z.string(), z.string());

interface Waiting {
  readonly key: string;
  readonly answer: KeptAnswer;
  /** Whether the service has answered wholly: looked at when nobody waits for the answer. */
  readonly isWhole: () => Promise<boolean>;
}

/** What fails costs nothing but the cache: no method throws. */
export class KeptAnswers {
  readonly maxAnswerBytes = maxAnswerBytes;
  readonly #database: StateDatabase;
  /** The keys of the last answers that were found or kept. */
  #recent: string[] = [];
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #writing = Promise.resolve();
  /** state.db cannot be used, and is not tried again. */
  #isOff = false;

  /** @param ttlMs how long an answer is kept, and how old one may be that is taken */
  constructor(
    paths: Paths,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly ttlMs: number,
  ) {
    this.#database = new StateDatabase(paths);
  }

  /** The answer to the request with this key. One from the future shows that the clock was wrong. */
  find(key: string): KeptAnswer | undefined {
    const nowMs = this.clock.now();
    const fresh = 'key = ? AND atMs <= ? AND atMs > ? AND untilMs > ?';
    const find = `SELECT status, headers, body FROM cache WHERE ${fresh}`;
    const [row] =
      this.#trying((database) => database.all(Row, find, key, nowMs, nowMs - this.ttlMs, nowMs)) ??
      [];
    const headers = row && Headers.safeParse(parsedJson(row.headers)).data;
    if (!headers) return undefined;
    this.#note(key);
    return { status: row.status, headers, body: Buffer.from(new Uint8Array(row.body)) };
  }

  /** Keeps it, if `isWhole`, at the end of the command, or when much is waiting. */
  keep(key: string, answer: KeptAnswer, isWhole: () => Promise<boolean>): void {
    if (this.#isOff || answer.body.length > maxAnswerBytes) return;
    this.#waiting.push({ key, answer, isWhole });
    this.#waitingBytes += answer.body.length;
    this.#note(key);
    const isMuch = this.#waiting.length >= maxWaiting || this.#waitingBytes >= maxWaitingBytes;
    if (isMuch) this.#writeWaiting();
  }

  /** Forgets what was found and kept since `flush`: it turned out not to answer the question. */
  forget(): void {
    const keys = this.#recent;
    [this.#waiting, this.#waitingBytes, this.#recent] = [[], 0, []];
    const remove = (database: StateDatabase) => {
      for (const key of keys) database.run('DELETE FROM cache WHERE key = ?', key);
    };
    this.#writing = this.#writing.then(() => this.#trying(remove));
  }

  /** Writes what is waiting. */
  flush(): Promise<void> {
    this.#writeWaiting();
    this.#recent = [];
    return this.#writing;
  }

  #note(key: string): void {
    this.#recent = [...this.#recent.slice(-15), key];
  }

  #writeWaiting(): void {
    const waiting = this.#waiting;
    [this.#waiting, this.#waitingBytes] = [[], 0];
    if (waiting.length > 0) this.#writing = this.#writing.then(() => this.#write(waiting));
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    const whole: Waiting[] = [];
    for (const one of waiting) if (await one.isWhole().catch(() => false)) whole.push(one);
    if (whole.length === 0) return;
    this.#trying((database) => {
      // Nobody waits for the disk: what a power failure takes can be asked for again. And nothing
      // that is deleted stays in the file.
      database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
      try {
        database.quickTransaction(waitMs, () => this.#insert(database, whole));
      } finally {
        database.exec('PRAGMA synchronous = FULL');
      }
    });
  }

  #insert(database: StateDatabase, whole: readonly Waiting[]): void {
    const nowMs = this.clock.now();
    database.run('DELETE FROM cache WHERE atMs > ?', nowMs);
    database.run('DELETE FROM cache WHERE untilMs <= ?', nowMs);
    const insert =
      'INSERT OR REPLACE INTO cache (key, atMs, untilMs, bytes, status, headers, body) VALUES (?, ?, ?, ?, ?, ?, ?)';
    for (const { key, answer } of whole) {
      const { body, headers, status } = answer;
      const bytes = body.length + bytesBeside;
      const untilMs = nowMs + this.ttlMs;
      database.run(insert, key, nowMs, untilMs, bytes, status, JSON.stringify(headers), body);
    }
    const Sum = z.object({ bytes: z.number() });
    const [sum] = database.all(Sum, 'SELECT SUM(bytes) AS bytes FROM cache');
    if ((sum?.bytes ?? 0) <= maxBytes) return;
    // The oldest go: an eighth more than they must, so that this is seldom done.
    const sums = 'SELECT id, SUM(bytes) OVER (ORDER BY atMs DESC, id DESC) AS upTo FROM cache';
    const old = `SELECT id FROM (${sums}) WHERE upTo > ?`;
    database.run(`DELETE FROM cache WHERE id IN (${old})`, (maxBytes / 8) * 7);
  }

  #trying<Result>(work: (database: StateDatabase) => Result): Result | undefined {
    if (this.#isOff) return undefined;
    try {
      return work(this.#database);
    } catch {
      this.#isOff = true;
      return undefined;
    }
  }
}
