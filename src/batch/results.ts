/** What a batch has written: its answers (OUT), the journal of what was sent (in OUT.svc), and errors. */
import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../errors.js';
import { codeOf, failing, fileTrouble } from '../files/file-trouble.js';
import type { Clock } from '../lib/clock.js';
import { syncFolder } from '../lib/own-file.js';
import { IdTable } from './ids.js';
import { lineHead, notOurs, partsOf, rubAt, stringEnd } from './output-line.js';
import { journalOf, olderJournalOf, statsOf } from './output-name.js';

const errorStart = '{"custom_id":';

/** What earlier runs have left. */
export interface EarlierOutput {
  readonly ids: IdTable;
  /** Lines of OUT: answers, and failures. */
  done: number;
  failed: number;
  /** Of the answers whose cost is known. */
  spentRub: number;
  /** The most that has been set aside for them (batch/money.ts). */
  committedRub: number;
  /** Whether something was sent without a ceiling after that: nothing was set aside for it. */
  isUnlimited: boolean;
  /** Of the input that it belongs to; empty where there is no journal. */
  sha256: string;
  /** How many requests that has, by the last run; NaN where there is no journal. */
  count: number;
  /** Bytes of complete lines; what follows is cut. */
  readonly lengths: { output: number; journal: number; errors: number };
}

export const noEarlierOutput = (): EarlierOutput => ({
  ids: new IdTable(),
  done: 0,
  failed: 0,
  spentRub: 0,
  committedRub: 0,
  isUnlimited: false,
  sha256: '',
  count: NaN,
  lengths: { output: 0, journal: 0, errors: 0 },
});

/**
 * Reads complete lines without their ends, in blocks whose bytes stay as they are while their lines
 * are taken. @returns the bytes up to the last line end
 */
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
      const block = bytes.subarray(0, end);
      let from = 0;
      let to = block.indexOf(0x0a, filled);
      while (to !== -1) {
        take(block, from, to);
        from = to + 1;
        to = block.indexOf(0x0a, from);
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

/** @throws UsageError where it is something else */
export function readJournal(output: string): EarlierOutput {
  const written = noEarlierOutput();
  const { ids, lengths } = written;
  const journal = journalOf(output);
  let hasCeiling = false;
  lengths.journal = eachLine(journal, (bytes, from, to) => {
    const text = (skipped: number) => bytes.toString('latin1', from + skipped, to);
    const kind = String.fromCharCode(bytes[from] ?? 0);
    if (written.sha256 === '') {
      const [, sha256] = /^svc-batch 1 ([0-9a-f]{64})\b/.exec(text(0)) ?? [];
      if (sha256 === undefined) throw notOurs(journal);
      written.sha256 = sha256;
    } else if (kind === '@') {
      const [, count] = text(1).split(' ');
      if (count === undefined) return;
      hasCeiling = false;
      written.count = Number(count);
      ids.reserve(written.count);
    } else if (kind === '$') {
      hasCeiling = true;
      written.isUnlimited = false;
      written.committedRub = Number(text(1));
    } else if (kind === '+') {
      written.isUnlimited ||= !hasCeiling;
      const at = ids.place(bytes, from + 18, to);
      ids.setBody(at, hexAt(bytes, from + 1));
      ids.setState(at, 'sent');
    } else ids.setState(ids.place(bytes, from + 1, to), kind === '!' ? 'failed' : 'new');
  });
  return written;
}

/** 32 bits in lower-case digits. */
function hexAt(bytes: Buffer, from: number): number {
  let value = 0;
  for (let at = from; at < from + 8; at += 1) {
    const digit = bytes[at] ?? 0;
    value = value * 16 + (digit & 15) + (digit > 0x60 ? 9 : 0);
  }
  return value;
}

/** Adds what is in OUT. @param take gets each line of it. @throws UsageError as `partsOf` does */
export function readOutput(
  output: string,
  written: EarlierOutput,
  take: (bytes: Buffer, from: number, to: number, isDone: boolean) => void,
): void {
  const { ids, lengths } = written;
  lengths.output = eachLine(output, (bytes, from, to) => {
    const { costAt, idFrom, idTo, isDone } = partsOf(output, bytes, from, to);
    const at = ids.place(bytes, idFrom, idTo);
    ids.setState(at, 'done');
    // Its price is `null`.
    if (bytes[costAt] === 0x6e) ids.setUnpriced(at);
    written[isDone ? 'done' : 'failed'] += 1;
    written.spentRub += rubAt(bytes, costAt);
    take(bytes, from, to, isDone);
  });
}

/** Without a journal, nothing says which lines are paid for. @throws UsageError where there may be some */
function assertNothingSent(output: string, errors: string | undefined): void {
  const [folder, older] = [dirname(journalOf(output)), olderJournalOf(output)];
  const elsewhere = 'with another file of -o, every line is sent and paid for again';
  if (startsWith(older, 'svc-batch ')) {
    throw new UsageError(`an older svc began ${output} and wrote ${older}; nothing was sent`, {
      code: 'other_output',
      hint: elsewhere,
    });
  }
  if (startsWith(output, lineHead)) {
    throw new UsageError(`${output} has answers, but ${folder} has no journal; nothing was sent`, {
      code: 'other_output',
      hint: `put that folder back: ${elsewhere}`,
    });
  }
  for (const path of [output, errors ?? '']) {
    // Even an incomplete line is not a torn one.
    const { size = 0 } = statsOf(path) ?? {};
    if (size > 0) throw notOurs(path);
  }
}

function startsWith(path: string, text: string): boolean {
  let start: string | undefined;
  eachLine(path, (bytes, from) => (start ??= bytes.toString('latin1', from, from + text.length)));
  return start === text;
}

/** @throws UsageError where a file is something else */
export function readEarlierOutput(output: string, errors: string | undefined): EarlierOutput {
  const written = readJournal(output);
  const { ids, lengths, sha256 } = written;
  if (sha256 === '') assertNothingSent(output, errors);
  readOutput(output, written, () => undefined);
  if (errors === undefined) return written;
  lengths.errors = eachLine(errors, (bytes, from, to) => {
    const start = from + errorStart.length;
    const end = stringEnd(bytes, start, to);
    if (end === -1) throw notOurs(errors);
    const at = ids.place(bytes, start, end);
    if (ids.state(at) !== 'done') ids.setState(at, 'failed');
  });
  return written;
}

const markEveryMs = 10_000;

const sync = promisify(fdatasync);

/** Appends to the files of a batch: what it has been given is written when it returns. */
export class Results {
  readonly #output: AppendedFile;
  readonly #journal: AppendedFile;
  readonly #errors: AppendedFile | undefined;
  #markedAtMs: number;

  /** Cuts torn lines. @throws LocalFileError */
  constructor(
    { output, errors }: { readonly output: string; readonly errors: string | undefined },
    { lengths, sha256 }: EarlierOutput,
    facts: Pick<EarlierOutput, 'count' | 'sha256'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.#output = new AppendedFile(output, lengths.output);
    this.#journal = new AppendedFile(journalOf(output), lengths.journal);
    this.#errors = errors === undefined ? undefined : new AppendedFile(errors, lengths.errors);
    const header = sha256 === '' ? `svc-batch 1 ${facts.sha256}\n` : '';
    this.#markedAtMs = clock.now();
    this.note(`${header}@${this.#markedAtMs} ${facts.count}\n`);
    const folder = dirname(journalOf(output));
    for (const one of [folder, dirname(folder)]) syncFolder(one);
  }

  /** Records for the journal, with their line ends. Times in it date what gets no answer. */
  note(records: string): void {
    const nowMs = this.clock.now();
    const isDue = records !== '' && nowMs - this.#markedAtMs > markEveryMs;
    if (isDue) this.#markedAtMs = nowMs;
    this.#journal.append(isDue ? `@${nowMs}\n${records}` : records);
  }

  /** Waits until all records are on the disk. */
  syncNotes(): Promise<void> {
    return this.#journal.sync();
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
  /** Absent where an earlier run, or this one, may have left something in the memory of the system. */
  #synced: Promise<void> | undefined;

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
    this.#synced = undefined;
  }

  /** Resolves when everything that it has is on the disk. */
  sync(): Promise<void> {
    return (this.#synced ??= sync(this.#handle).catch(failing(`cannot write ${this.path}`)));
  }

  close(): void {
    closeSync(this.#handle);
  }
}
