/** What a batch has written: its answers (OUT), the journal of what was sent (OUT.sent), and errors. */
import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { LocalFileError, UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { systemClock } from '../lib/clock.js';
import { parsedJson, recordOf, textOf } from '../lib/json.js';
import { IdTable } from './ids.js';
import type { InputFacts } from './input.js';

export const journalOf = (output: string) => `${output}.sent`;

/** The start of a line of OUT, up to its custom_id. */
export const lineStart = (id16: string) => `{"id":"batch_req_${id16}","custom_id":`;
const idOffset = lineStart('0'.repeat(16)).length;
const ownStart = Buffer.from(',"svc":{"cost_rub":');
const noError = ',"error":null';
const errorStart = '{"custom_id":';
const journalStart = 'svc-batch 1 ';

/** What earlier runs have left. */
export interface Written {
  readonly ids: IdTable;
  /** Lines of OUT: answers, and failures. */
  done: number;
  failed: number;
  /** Of the answers whose cost is known. */
  spentRub: number;
  /** The most that has been set aside for them (batch/money.ts). */
  committedRub: number;
  /** Of the input that it belongs to; undefined where there is no journal. */
  input: Omit<InputFacts, 'count'> | undefined;
  /** When the first run began. */
  beganAtMs: number | undefined;
  /** How many requests it has, by the last run. */
  count: number | undefined;
  /** Complete lines; what follows is cut. */
  readonly lengths: { output: number; journal: number; errors: number };
}

/** Reads complete lines without their ends. @returns the bytes up to the last line end */
export function eachLine(
  path: string,
  take: (bytes: Buffer, from: number, to: number) => void,
): number {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return 0;
    throw fileTrouble(cause, `cannot read ${path}`);
  }
  try {
    let bytes = Buffer.allocUnsafeSlow(1024 * 1024);
    let [filled, complete] = [0, 0];
    for (;;) {
      if (filled === bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
      const read = readSync(handle, bytes, filled, bytes.length - filled, null);
      if (read === 0) return complete;
      const end = filled + read;
      let from = 0;
      let to = bytes.indexOf(0x0a, filled);
      while (to !== -1 && to < end) {
        take(bytes, from, to);
        from = to + 1;
        to = bytes.indexOf(0x0a, from);
      }
      complete += from;
      bytes.copyWithin(0, from, end);
      filled = end - from;
    }
  } catch (cause) {
    throw fileTrouble(cause, `cannot read ${path}`);
  } finally {
    closeSync(handle);
  }
}

/** The end of the JSON string that begins at `from`; -1 where there is none. */
function stringEnd(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] !== 0x22) return -1;
  for (let at = from + 1; at < to; at += 1) {
    if (bytes[at] === 0x5c) at += 1;
    else if (bytes[at] === 0x22) return at + 1;
  }
  return -1;
}

/** Where the parts of a line of OUT are. @throws UsageError for another line */
export function partsOf(output: string, bytes: Buffer, from: number, to: number) {
  const idFrom = from + idOffset;
  const idTo = stringEnd(bytes, idFrom, to);
  const svcAt = bytes.lastIndexOf(ownStart, to);
  if (idTo === -1 || svcAt < idTo) throw notOurs(output);
  const isDone = bytes.toString('latin1', svcAt - noError.length, svcAt) === noError;
  return { idFrom, idTo, isDone, costAt: svcAt + ownStart.length };
}

/** @throws UsageError where it is something else */
export function readJournal(output: string): Written {
  const written: Written = {
    ids: new IdTable(),
    done: 0,
    failed: 0,
    spentRub: 0,
    committedRub: 0,
    input: undefined,
    beganAtMs: undefined,
    count: undefined,
    lengths: { output: 0, journal: 0, errors: 0 },
  };
  const journal = journalOf(output);
  written.lengths.journal = eachLine(journal, (bytes, from, to) => {
    if (written.input) readJournalLine(written, bytes, from, to);
    else written.input = headerOf(bytes.toString('latin1', from, to), journal);
  });
  return written;
}

/** @throws UsageError where a file is something else */
export function readWritten(output: string, errors: string | undefined): Written {
  const written = readJournal(output);
  const { ids, lengths } = written;
  lengths.output = eachLine(output, (bytes, from, to) => {
    if (!written.input) throw notOurs(output);
    const { costAt, idFrom, idTo, isDone } = partsOf(output, bytes, from, to);
    ids.setState(ids.place(bytes, idFrom, idTo), 'done');
    written[isDone ? 'done' : 'failed'] += 1;
    written.spentRub += parseFloat(bytes.toString('latin1', costAt, to)) || 0;
  });
  if (errors === undefined) return written;
  lengths.errors = eachLine(errors, (bytes, from, to) => {
    const start = from + errorStart.length;
    const end = stringEnd(bytes, start, to);
    if (!written.input || end === -1) throw notOurs(errors);
    const at = ids.place(bytes, start, end);
    if (ids.state(at) !== 'done') ids.setState(at, 'failed');
  });
  return written;
}

function notOurs(path: string): UsageError {
  return new UsageError(`${path} was not written by this batch`, {
    code: 'other_output',
    hint: 'choose another file',
  });
}

function headerOf(line: string, journal: string): Written['input'] {
  const [, sha256, bytes] = /^svc-batch 1 ([0-9a-f]{64}) (\d+)$/.exec(line) ?? [];
  if (sha256 === undefined) throw notOurs(journal);
  return { sha256, bytes: Number(bytes) };
}

function readJournalLine(written: Written, bytes: Buffer, from: number, to: number): void {
  const { ids } = written;
  const kind = bytes[from];
  if (kind === 0x40) {
    const [atMs, count] = bytes
      .toString('latin1', from + 1, to)
      .split(' ')
      .map(Number);
    written.beganAtMs ??= atMs;
    if (count === undefined) return;
    written.count = count;
    ids.reserve(count);
  } else if (kind === 0x24) {
    written.committedRub = Number(bytes.toString('latin1', from + 1, to));
  } else if (kind === 0x2b) {
    const at = ids.place(bytes, from + 18, to);
    ids.setBody(at, parseInt(bytes.toString('latin1', from + 1, from + 9), 16));
    ids.setState(at, 'sent');
  } else {
    const at = ids.place(bytes, from + 1, to);
    ids.setState(at, kind === 0x21 ? 'failed' : 'new');
  }
}

const timeEveryMs = 10_000;

const sync = promisify(fdatasync);

/** Appends to the files of a batch: what it has been given is written when it returns. */
export class Results {
  readonly #handles: { output: number; journal: number; errors?: number };
  readonly #lengths: Written['lengths'];
  #isSynced = true;
  #notedAtMs = systemClock.now();

  /** Cuts torn lines. @throws LocalFileError */
  constructor(
    private readonly output: string,
    private readonly errors: string | undefined,
    { lengths, input }: Written,
    facts: InputFacts,
    nowMs: number,
  ) {
    this.#lengths = { ...lengths };
    this.#handles = {
      output: openAt(output, lengths.output),
      journal: openAt(journalOf(output), lengths.journal),
      errors: errors === undefined ? undefined : openAt(errors, lengths.errors),
    };
    const header = input ? '' : `${journalStart}${facts.sha256} ${facts.bytes}\n`;
    this.note(`${header}@${nowMs} ${facts.count}\n`);
  }

  /** Records for the journal, with their line ends. Times in it date what gets no answer. */
  note(records: string): void {
    if (records === '') return;
    const nowMs = systemClock.now();
    const isDue = nowMs - this.#notedAtMs > timeEveryMs;
    if (isDue) this.#notedAtMs = nowMs;
    this.#append('journal', isDue ? `@${nowMs}\n${records}` : records);
  }

  add(lines: string): void {
    if (lines !== '') this.#append('output', lines);
  }

  addErrors(lines: string): void {
    if (lines !== '') this.#append('errors', lines);
  }

  /** Waits until all of it is on the disk. */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    const { output, journal, errors } = this.#handles;
    const all = [output, journal, ...(errors === undefined ? [] : [errors])];
    await Promise.all(all.map((handle) => sync(handle))).catch((cause: unknown) => {
      throw fileTrouble(cause, `cannot write ${this.output}`);
    });
  }

  close(): void {
    const { output, journal, errors } = this.#handles;
    for (const handle of [output, journal, errors]) if (handle !== undefined) closeSync(handle);
  }

  #append(which: keyof Written['lengths'], text: string): void {
    const handle = this.#handles[which];
    if (handle === undefined) return;
    const bytes = Buffer.from(text);
    try {
      // A full disk may take a part of it.
      for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
    } catch (cause) {
      ftruncateSync(handle, this.#lengths[which]);
      const name = { output: this.output, journal: journalOf(this.output), errors: this.errors };
      const hint = 'free some space and run the same command again: it goes on where it stopped';
      throw fileTrouble(cause, `cannot write ${String(name[which])}`, hint);
    }
    this.#lengths[which] += bytes.length;
    this.#isSynced = false;
  }
}

/** Opened for appending after its last complete line. */
function openAt(path: string, length: number): number {
  try {
    const handle = openSync(path, 'a', 0o666);
    const stats = fstatSync(handle);
    if (!stats.isFile())
      throw new LocalFileError(`${path} is not a regular file`, { code: 'local_file' });
    if (stats.size > length) ftruncateSync(handle, length);
    return handle;
  } catch (cause) {
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}

/** The id of a line of OUT or of an errors file, for those who read them whole. */
export function resultIn(line: string) {
  const result = recordOf(parsedJson(line));
  return { result, id: textOf(result['custom_id']) };
}
