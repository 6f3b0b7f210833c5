/** The rows of a CSV or TSV file as lines whose fields are its columns. */
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../errors.js';
import { mostBytes } from '../files/named-file.js';
import { plainText } from '../lib/plain-text.js';
import { slotNames, type Line } from './line.js';

interface Table {
  readonly name: string;
  readonly delimiter: ',' | '\t';
  readonly prompt: string | undefined;
}

/** @throws UsageError for what is not a table, or has no column that the prompt names */
export async function* tableBlocks(
  pieces: AsyncIterable<Buffer>,
  { name, delimiter, prompt }: Table,
): AsyncGenerator<readonly Line[], void, undefined> {
  let lines: Line[] = [];
  let header: readonly string[] | undefined;
  const parser = parse({
    delimiter,
    bom: true,
    relaxColumnCount: true,
    // Programs that write tabs rarely quote.
    relaxQuotes: delimiter === '\t',
    skipEmptyLines: true,
    maxRecordSize: mostBytes,
    // Nothing is left to be read from the stream: a row at a time would take longer.
    onRecord: (values: string[], { lines: lastLine }) => {
      if (header === undefined) header = checkedHeader(values, { name, delimiter, prompt });
      else lines.push({ number: firstLine(values, lastLine), fields: fieldsOf(header, values) });
      return null;
    },
  });
  const written = (write: (done: (cause?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      parser.once('error', reject);
      write((cause) => {
        parser.off('error', reject);
        if (cause) reject(faultOf(cause, name));
        else resolve();
      });
    });
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of pieces) {
    try {
      utf8.decode(piece, { stream: true });
    } catch {
      const hint = `for example: iconv -f WINDOWS-1251 -t UTF-8 ${name} > utf8.csv`;
      throw new UsageError(`${name} is not UTF-8 text`, { code: 'not_text', hint });
    }
    await written((done) => parser.write(piece, done));
    yield lines;
    lines = [];
  }
  await written((done) => parser.end(done));
  yield lines;
}

function checkedHeader(columns: readonly string[], { name, prompt }: Table): readonly string[] {
  const list = plainText(columns.join(', '), 200);
  if (prompt === undefined) {
    const hint = `-p with a column in braces: -p "Translate {${plainText(columns[0] ?? '', 40)}}"`;
    throw new UsageError(`the rows of ${name} need a --prompt`, { code: 'usage', hint });
  }
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) {
    const words = `${name} has two columns ${JSON.stringify(plainText(twice, 100))}`;
    throw new UsageError(words, { code: 'invalid_input' });
  }
  const missing = slotNames(prompt).find((slot) => !columns.includes(slot));
  if (missing === undefined) return columns;
  throw new UsageError(`${name} has no column ${JSON.stringify(missing)}; it has ${list}`, {
    code: 'no_column',
  });
}

function fieldsOf(header: readonly string[], values: readonly string[]): Line['fields'] {
  if (values.length !== header.length) {
    return `it has ${values.length} columns, and the header has ${header.length}`;
  }
  return Object.fromEntries(header.map((column, at) => [column, values[at]]));
}

/** A quoted value may have line breaks. */
function firstLine(values: readonly string[], lastLine: number): number {
  return values.reduce((line, value) => line - (value.split('\n').length - 1), lastLine);
}

function faultOf(cause: Error, name: string): Error {
  if (!(cause instanceof CsvError)) return cause;
  const words = `line ${String(cause['lines'])} of ${name} is not a row: ${cause.message}`;
  return new UsageError(plainText(words, 300), { code: 'invalid_input', cause });
}
