/** Reads the lines of a batch as requests: first to check them all, then to send them. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Context } from '../context.js';
import { LocalFileError } from '../errors.js';
import { spool } from '../files/growing-file.js';
import { lineBlocks } from '../files/lines.js';
import { maxRequestBytes, openFile, statNamed, type OpenFile } from '../files/named-file.js';
import { inTime } from '../http/deadline.js';
import { formatBytes, grouped } from '../lib/amounts.js';
import { isRecord, parsedJson } from '../lib/json.js';
import { utf16Of } from '../lib/plain-text.js';
import type { Output } from '../terminal/types.js';
import { idOf, invalid, LineReader, PromptTemplate } from './line.js';
import type { InputLine, LineTemplate } from './line.js';
import type { BatchRequest } from './request.js';
import { assertColumns, tableBlocks } from './table.js';

const pieceBytes = 256 * 1024;
const maxFaults = 20;

/** @param path a file, or `-` for stdin; what is not a regular file is copied first */
export async function openInput(
  context: Context,
  path: string,
  template: LineTemplate,
): Promise<BatchInput> {
  const { out, stdin } = context;
  const prompt = template.prompt === undefined ? undefined : new PromptTemplate(template.prompt);
  const lines = await LineReader.open(template, prompt);
  const stats = path === '-' ? undefined : await statNamed(path);
  const isFile = stats?.isFile() === true;
  const file = isFile
    ? await openFile(path)
    : await inTime(context, (late) =>
        spool(stats ? createReadStream(path) : stdin.pieces(late), 'batch'),
      );
  return new BatchInput({ path, stats, isFile, file, prompt, lines, out });
}

interface InputParts {
  readonly path: string;
  /** When it was opened; undefined for stdin. */
  readonly stats: Stats | undefined;
  readonly isFile: boolean;
  readonly file: OpenFile;
  readonly prompt: PromptTemplate | undefined;
  readonly lines: LineReader;
  readonly out: Pick<Output, 'warn'>;
}

interface FirstReading {
  readonly hash: Hash;
  /** Whether a line needs no check; undefined where each needs one. */
  readonly skips: ((unparsed: BatchRequest) => boolean) | undefined;
}

/** The requests of one input, which is read twice: to check them all, and to send them. */
export class BatchInput {
  constructor(private readonly parts: InputParts) {}

  get bytes(): number {
    return this.parts.file.length;
  }

  /**
   * Reads every line and checks it against its row. `also` gets each valid request, in order, and
   * returns what is wrong with it in this batch. `isSettled` gets what may be a request before it is
   * parsed; one that is settled needs no check. @throws UsageError that names all bad lines
   */
  async check(
    also: (request: BatchRequest) => string | undefined,
    isSettled?: (unparsed: BatchRequest) => boolean,
  ): Promise<{ readonly count: number; readonly sha256: string }> {
    const { out, prompt } = this.parts;
    const hash = createHash('sha256');
    const faults: string[] = [];
    let [count, faulty] = [0, 0];
    const countIfSettled = (request: BatchRequest) => {
      const isSkipped = isSettled?.(request) === true;
      if (isSkipped) count += 1;
      return isSkipped;
    };
    const skips = isSettled && countIfSettled;
    for await (const lines of this.#blocks({ hash, skips })) {
      for (const line of lines) {
        const request = this.parts.lines.read(line, true);
        const fault = typeof request === 'string' ? request : also(request);
        count += 1;
        if (fault === undefined) continue;
        faulty += 1;
        if (faulty <= maxFaults) faults.push(`  line ${line.number}: ${fault}`);
      }
    }
    if (faulty > maxFaults) faults.push(`  and ${grouped(faulty - maxFaults)} more`);
    const lines = faulty === 1 ? '1 line' : `${grouped(faulty)} lines`;
    const head = `${lines} cannot be sent, so nothing was sent:`;
    if (faulty > 0) throw invalid([head, ...faults].join('\n'));
    if (count === 0) throw invalid('the input has no requests');
    const warning = prompt?.check();
    if (warning !== undefined) out.warn(warning);
    return { count, sha256: hash.digest('hex') };
  }

  /** The requests once more, in blocks, without the checks; of none, nothing is read. */
  async *requests(count = Infinity): AsyncGenerator<readonly BatchRequest[], void, undefined> {
    if (count === 0) return;
    for await (const lines of this.#blocks()) {
      yield lines.map((line) => {
        const request = this.parts.lines.read(line, false);
        if (typeof request === 'string') throw changed(this.parts.path);
        return request;
      });
    }
  }

  /** Only the ids, whatever else the lines need to become requests. */
  async *ids(): AsyncGenerator<readonly string[], void, undefined> {
    for await (const lines of this.#blocks()) yield lines.map(idOf);
  }

  /** Removes the copy of a piped input. */
  close(): Promise<void> {
    return this.parts.file.close();
  }

  /** @param first of the first reading, which checks the columns of a table */
  async *#blocks(first?: FirstReading): AsyncGenerator<readonly InputLine[], void, undefined> {
    const { file, path, prompt, lines: reader } = this.parts;
    const { delimiter, isCr, isText } = formOf(await file.read(0, 65_536), path);
    const blocksOfText = lineBlocks(this.#pieces(first?.hash), maxRequestBytes, tooLong, isCr);
    if (delimiter !== undefined) {
      yield* tableBlocks(blocksOfText, delimiter, (columns) => {
        if (first) assertColumns(columns, prompt);
      });
      return;
    }
    const textField = prompt ? 'text' : 'prompt';
    let number = 0;
    for await (const texts of blocksOfText) {
      const lines: InputLine[] = [];
      for (const text of texts) {
        number += 1;
        if (text.trim() === '') continue;
        const unparsed = first?.skips && !isText ? reader.unparsed(text, number) : undefined;
        if (unparsed && first?.skips?.(unparsed)) continue;
        const fields = isText ? { [textField]: text } : parsedJson(text);
        lines.push({ number, fields: isRecord(fields) ? fields : 'it is not a JSON object' });
      }
      yield lines;
    }
  }

  async *#pieces(hash: Hash | undefined): AsyncGenerator<Buffer, void, undefined> {
    const { file, isFile, path, stats } = this.parts;
    for (let at = 0; at < file.length;) {
      const piece = await file.read(at, pieceBytes);
      const now = isFile ? await stat(path).catch(() => undefined) : stats;
      if (now?.mtimeMs !== stats?.mtimeMs || now?.size !== stats?.size) throw changed(path);
      at += piece.length;
      hash?.update(piece);
      yield piece;
    }
  }
}

/** How an input is divided, by its name and its first bytes. @throws as `assertLines` does */
function formOf(head: Buffer, path: string) {
  const extension = extname(path).toLowerCase();
  const delimiter = { '.csv': ',', '.tsv': '\t' }[extension];
  const start = (utf16Of(head)?.decode(head) ?? head.toString()).replace(/^\ufeff/, '');
  // Line ends of CR alone, as old programs for the Mac write them.
  const unquoted = delimiter === undefined ? '' : start.replace(quoted, '');
  const isCr = unquoted.includes('\r') && !unquoted.includes('\n');
  const isJson = /^\.(json|jsonl|ndjson)$/.test(extension) || /^[\s\0]*(?:\{|\[\s*\{)/.test(start);
  const isText = extension === '.txt' || !isJson;
  if (delimiter === undefined && !isText) assertLines(start);
  return { delimiter, isCr, isText };
}

/** What is quoted in a table; a quote may be open at the end of the part that is read. */
const quoted = /"[^"]*(?:"|$)/g;

/** @throws UsageError for JSON that is not a line for each request */
function assertLines(start: string): void {
  const needed = 'a batch needs one JSON object on each line';
  if (/^.?\0/.test(start)) {
    throw invalid(`the input is UTF-16 without its mark; ${needed}`, 'save it as UTF-8');
  }
  const [, first = ''] = /^\s*(.*)/.exec(start) ?? [];
  const value = parsedJson(first);
  const isList = Array.isArray(value)
    ? isRecord(value[0])
    : first.startsWith('[') && first !== start;
  if (isList) {
    throw invalid(`the input is a JSON array; ${needed}`, "make lines of it: jq -c '.[]' FILE");
  }
  // A line that is merely broken is named with the others.
  if (/^\{\s*$/.test(first)) {
    throw invalid(`the input is JSON over several lines; ${needed}`, 'join them: jq -c . FILE');
  }
}

function tooLong(line: number): Error {
  return invalid(
    `line ${line} is longer than ${formatBytes(maxRequestBytes)}, which no request may be`,
  );
}

function changed(path: string): LocalFileError {
  const hint = 'run the command again when nothing writes to it';
  return new LocalFileError(`${path} has changed while it was read`, {
    code: 'input_changed',
    hint,
  });
}
