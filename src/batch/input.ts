/** Reads the lines of a batch as requests: first to check them all, then once more to send them. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Context } from '../cli/context.js';
import { LocalFileError, UsageError } from '../errors.js';
import { spool } from '../files/growing-file.js';
import { lineBlocks } from '../files/lines.js';
import { mostBytes, openFile, statNamed } from '../files/named-file.js';
import { formatBytes, grouped } from '../lib/amounts.js';
import { isRecord, parsedJson } from '../lib/json.js';
import { lineReader, type Line, type LineTemplate } from './line.js';
import type { BatchRequest } from './request.js';
import { tableBlocks } from './table.js';

export type { LineTemplate } from './line.js';

export interface BatchInput {
  /**
   * Reads every line and checks it against its row. `also` gets each valid request, in order, and
   * returns what is wrong with it in this batch. @throws UsageError that names all bad lines
   */
  check(also: (request: BatchRequest) => string | undefined): Promise<InputFacts>;
  /** The requests once more, in blocks, without the checks. */
  requests(): AsyncIterable<readonly BatchRequest[]>;
  /** Removes the copy of a piped input. */
  close(): Promise<void>;
}

export interface InputFacts {
  readonly count: number;
  readonly bytes: number;
  /** Of all its bytes. */
  readonly sha256: string;
}

const pieceBytes = 256 * 1024;
const mostFaults = 20;

export async function openInput(
  { stdin }: Context,
  path: string,
  template: LineTemplate,
): Promise<BatchInput> {
  const readLine = await lineReader(template);
  const isPiped = path === '-';
  const name = isPiped ? 'stdin' : basename(path);
  const found = isPiped ? undefined : await statNamed(path);
  const isFile = found?.isFile() === true;
  const copied = () => spool(isPiped ? stdin.pieces() : createReadStream(path), 'batch');
  const file = isFile ? await openFile(path) : await copied();

  const assertUnchanged = async () => {
    const now = isFile ? await stat(path).catch(() => undefined) : found;
    if (now?.mtimeMs === found?.mtimeMs && now?.size === found?.size) return;
    throw changed(name);
  };

  async function* pieces(onPiece: (piece: Buffer) => void) {
    for (let at = 0; at < file.length;) {
      const piece = await file.read(at, pieceBytes);
      await assertUnchanged();
      at += piece.length;
      onPiece(piece);
      yield piece;
    }
  }

  /** @param onPiece sees all bytes */
  async function* blocks(onPiece: (piece: Buffer) => void = () => undefined) {
    const kind = kindByName[extname(path).toLowerCase()] ?? kindByStart(await file.read(0, 65536));
    if (kind === ',' || kind === '\t') {
      yield* tableBlocks(pieces(onPiece), { name, delimiter: kind, prompt: template.prompt });
      return;
    }
    let number = 0;
    for await (const texts of lineBlocks(pieces(onPiece), mostBytes, tooLong)) {
      const lines: Line[] = [];
      for (const text of texts) {
        number += 1;
        if (text.trim() !== '') lines.push({ number, fields: fieldsIn(text, kind, template) });
      }
      yield lines;
    }
  }

  return {
    check: async (also) => {
      const hash = createHash('sha256');
      const faults: string[] = [];
      let [count, faulty] = [0, 0];
      for await (const lines of blocks((piece) => hash.update(piece))) {
        for (const line of lines) {
          const request = readLine(line, true);
          const fault = typeof request === 'string' ? request : also(request);
          count += 1;
          if (fault === undefined) continue;
          faulty += 1;
          if (faulty <= mostFaults) faults.push(`  line ${line.number}: ${fault}`);
        }
      }
      if (count === 0) {
        throw new UsageError(`${name} has no requests`, { code: 'no_requests' });
      }
      if (faulty > mostFaults) faults.push(`  and ${faulty - mostFaults} more`);
      if (faulty > 0) throw badLines(name, faulty, faults);
      return { count, bytes: file.length, sha256: hash.digest('hex') };
    },
    requests: async function* () {
      for await (const lines of blocks()) {
        yield lines.map((line) => {
          const request = readLine(line, false);
          if (typeof request === 'string') throw changed(name);
          return request;
        });
      }
    },
    close: () => file.close(),
  };
}

const kindByName: Readonly<Record<string, 'text' | 'json' | ',' | '\t'>> = {
  '.csv': ',',
  '.tsv': '\t',
  '.txt': 'text',
  '.json': 'json',
  '.jsonl': 'json',
  '.ndjson': 'json',
};

/** @param start with a byte order mark, perhaps. */
function kindByStart(start: Buffer): 'text' | 'json' {
  return /^(?:\u{feff})?\s*\{/u.test(start.toString()) ? 'json' : 'text';
}

function fieldsIn(text: string, kind: 'text' | 'json', { prompt }: LineTemplate): Line['fields'] {
  if (kind === 'text') return prompt === undefined ? { prompt: text } : { text, line: text };
  const value = parsedJson(text);
  return isRecord(value) ? value : 'it is not a JSON object';
}

function badLines(name: string, count: number, faults: readonly string[]): UsageError {
  const lines = count === 1 ? '1 line' : `${grouped(count)} lines`;
  const words = `${lines} of ${name} cannot be sent, so nothing was sent:`;
  return new UsageError([words, ...faults].join('\n'), { code: 'invalid_input' });
}

function tooLong(line: number): UsageError {
  const words = `line ${line} is longer than ${formatBytes(mostBytes)}, and no request may be`;
  return new UsageError(words, { code: 'line_too_long' });
}

function changed(name: string): LocalFileError {
  return new LocalFileError(`${name} has changed while it was read`, {
    code: 'input_changed',
    hint: 'run the command again when nothing writes to it',
  });
}
