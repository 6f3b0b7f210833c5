/** The rows of a CSV or TSV file as lines whose fields are the columns. */
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { maxRequestBytes } from '../files/named-file.js';
import type { JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { invalid, type InputLine, type PromptTemplate } from './line.js';

const blockRows = 1000;

/** @param check throws where columns are missing. @throws UsageError for what is not a table */
export async function* tableBlocks(
  texts: AsyncIterable<readonly string[]>,
  delimiter: string,
  check: (columns: readonly string[]) => void,
): AsyncGenerator<readonly InputLine[], void, undefined> {
  const parser = parse({
    delimiter,
    columns: (columns: string[]) => {
      check(columns);
      return columns;
    },
    maxRecordSize: maxRequestBytes,
    // Programs that write tabs rarely quote.
    relaxQuotes: delimiter === '\t',
    skipEmptyLines: true,
    onRecord: (fields: JsonRecord, { lines: number }): InputLine => ({ number, fields }),
  });
  const whole = async function* () {
    for await (const lines of texts) yield `${lines.join('\n')}\n`;
  };
  const rows: AsyncIterable<InputLine> = pipeline(whole, parser, () => undefined);
  let lines: InputLine[] = [];
  try {
    for await (const line of rows) {
      lines.push(line);
      if (lines.length < blockRows) continue;
      yield lines;
      lines = [];
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw invalid(`the table cannot be read: ${plainText(cause.message, 300)}`);
  }
  yield lines;
}

const separators = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** @param prompt of `-p`. @throws UsageError where it cannot be filled from these columns */
export function assertColumns(columns: readonly string[], prompt: PromptTemplate | undefined) {
  const [only = ''] = columns;
  const [, other] = Object.entries(separators).find(([one]) => only.includes(one)) ?? [];
  const isFit = prompt !== undefined && prompt.missing((name) => name === only) === undefined;
  if (columns.length === 1 && other !== undefined && !isFit) {
    const message = `the columns seem to be separated by ${other}: ${plainText(only, 200)}`;
    throw invalid(message, 'save it with commas as .csv, or with tabs as .tsv');
  }
  const all = plainText(columns.join(', '), 200);
  // Of two columns with one name, a row would have only the last.
  const doubled = columns.find((name, at) => name !== '' && columns.indexOf(name) < at);
  if (doubled !== undefined) throw invalid(`the table has two columns ${JSON.stringify(doubled)}`);
  if (!prompt) throw invalid(`a table needs --prompt with a column in braces: ${all}`);
  const missing = prompt.missing((name) => columns.includes(name));
  if (missing === undefined) return;
  throw invalid(`the table has no column ${JSON.stringify(missing)}; it has ${all}`);
}
