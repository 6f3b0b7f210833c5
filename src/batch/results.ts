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
import { UsageError } from '../errors.js';
import { codeOf, failing, fileTrouble } from '../files/file-trouble.js';
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
    count: undefined,
    lengths: { output: 0, journal: 0, errors: 0 },
  };
  const { ids, lengths } = written;
  const journal = journalOf(output);
  lengths.journal = eachLine(journal, (bytes, from, to) => {
    const text = (skipped: number) => bytes.toString('latin1', from + skipped, to);
    const kind = String.fromCharCode(bytes[from] ?? 0);
    if (!written.input) {
      const [, sha256, length] = /^svc-batch 1 ([0-9a-f]{64}) (\d+)$/.exec(text(0)) ?? [];
      if (sha256 === undefined) throw notOurs(journal);
      written.input = { sha256, bytes: Number(length) };
    } else if (kind === '@') {
      const [, count] = text(1).split(' ');
      if (count !== undefined) written.count = Number(count);
      ids.reserve(written.count ?? 0);
    } else if (kind === '$') written.committedRub = Number(text(1));
    else if (kind === '+') {
      const at = ids.place(bytes, from + 18, to);
      ids.setBody(at, parseInt(bytes.toString('latin1', from + 1, from + 9), 16));
      ids.setState(at, 'sent');
    } else ids.setState(ids.place(bytes, from + 1, to), kind === '!' ? 'failed' : 'new');
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

const markEveryMs = 10_000;

const sync = promisify(fdatasync);

/** Appends to the files of a batch: what it has been given is written when it returns. */
export class Results {
  readonly #output: AppendedFile;
  readonly #journal: AppendedFile;
  readonly #errors: AppendedFile | undefined;
  #markedAtMs = systemClock.now();

  /** Cuts torn lines. @throws LocalFileError */
  constructor(
    output: string,
    errors: string | undefined,
    { lengths, input }: Written,
    facts: InputFacts,
    nowMs: number,
  ) {
    this.#output = new AppendedFile(output, lengths.output);
    this.#journal = new AppendedFile(journalOf(output), lengths.journal);
    this.#errors = errors === undefined ? undefined : new AppendedFile(errors, lengths.errors);
    const header = input ? '' : `${journalStart}${facts.sha256} ${facts.bytes}\n`;
    this.note(`${header}@${nowMs} ${facts.count}\n`);
  }

  /** Records for the journal, with their line ends. Times in it date what gets no answer. */
  note(records: string): void {
    const nowMs = systemClock.now();
    const isDue = records !== '' && nowMs - this.#markedAtMs > markEveryMs;
    if (isDue) this.#markedAtMs = nowMs;
    this.#journal.append(isDue ? `@${nowMs}\n${records}` : records);
  }

  add(lines: string): void {
    this.#output.append(lines);
  }

  addErrors(lines: string): void {
    this.#errors?.append(lines);
  }

  /** Waits until all of it is on the disk. */
  async sync(): Promise<void> {
    const files = [this.#output, this.#journal, this.#errors];
    await Promise.all(files.map(async (file) => file?.sync()));
  }

  close(): void {
    for (const file of [this.#output, this.#journal, this.#errors]) file?.close();
  }
}

class AppendedFile {
  readonly #handle: number;
  #isSynced = true;

  /** @param length of its complete lines; the rest is cut */
  constructor(
    private readonly path: string,
    private length: number,
  ) {
    try {
      this.#handle = openSync(path, 'a');
      if (fstatSync(this.#handle).size > length) ftruncateSync(this.#handle, length);
    } catch (cause) {
      throw fileTrouble(cause, `cannot write ${path}`);
    }
  }

  append(text: string): void {
    if (text === '') return;
    const bytes = Buffer.from(text);
    try {
      // A full disk may take a part of it.
      for (let at = 0; at < bytes.length;) at += writeSync(this.#handle, bytes, at);
    } catch (cause) {
      ftruncateSync(this.#handle, this.length);
      const hint = 'free some space and run the same command again: it continues where it stopped';
      throw fileTrouble(cause, `cannot write ${this.path}`, hint);
    }
    this.length += bytes.length;
    this.#isSynced = false;
  }

  async sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    await sync(this.#handle).catch(failing(`cannot write ${this.path}`));
  }

  close(): void {
    closeSync(this.#handle);
  }
}

/** The id of a line of OUT or of an errors file, for those who read them whole. */
export function resultIn(line: string) {
  const result = recordOf(parsedJson(line));
  return { result, id: textOf(result['custom_id']) };
}
