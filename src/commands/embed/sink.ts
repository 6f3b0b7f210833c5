/** Where vectors go, row by row, so that a million of them take no memory. */
import type { EmbeddingResult } from '../../api/embeddings.js';
import type { Context } from '../../context.js';
import { LocalFileError } from '../../errors.js';
import { PartFile } from '../../files/part-file.js';
import { listOf, parsedJson } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { npyHeader, npyHeaderBytes, npyRow, npyShape } from '../../lib/table-files.js';
import type { NpyShape } from '../../lib/table-files.js';
import { cosine, vectorFromBase64, vectorJson, vectorToBase64 } from '../../lib/vectors.js';
import type { Vector } from '../../lib/vectors.js';
import { titles } from '../../terminal/types.js';
import type { TextLine } from './lines.js';
import type { EmbedPlan, VectorFile } from './plan.js';

export interface Answer extends EmbeddingResult {
  readonly lines: readonly TextLine[];
}

export interface Sink {
  readonly rowsBefore: number;
  put(answer: Answer): void | Promise<void>;
  /** Everything has been put. @returns the JSON that replaces a summary. */
  finish(): Promise<object | undefined>;
  /** Ends early and keeps what exists. @returns how to resume after this many lines. */
  abandon(lines: number): Promise<string>;
}

export async function openSink(context: Context, plan: EmbedPlan): Promise<Sink> {
  const { out, flags } = context;
  const { file, isRaw, isStream, similar } = plan;
  const line = (vector: Vector) =>
    `${isRaw ? JSON.stringify(vectorToBase64(vector)) : vectorJson(vector)}\n`;
  const linesOf = (vectors: readonly Vector[]) => vectors.map(line).join('');
  const plain: Sink = {
    rowsBefore: 0,
    put: ({ vectors }) => out.text(linesOf(vectors)),
    finish: () => Promise.resolve(undefined),
    abandon: (lines) => Promise.resolve(`continue with --skip ${lines}`),
  };
  if (similar !== undefined) return { ...plain, ...ranking(context, similar, plan.count) };
  if (file) return fileSink(file, linesOf);
  // Programs get the reply unchanged.
  if (!isStream && flags.json) return { ...plain, put: () => undefined };
  if (isStream || !out.isTerminal) return plain;
  return { ...plain, put: (answer) => showTable(context, answer) };
}

function showTable({ out }: Context, { lines, vectors }: Answer): Promise<void> {
  const rows = vectors.map((vector, index) => {
    const numbers = Array.from(vector).slice(0, 4);
    const words = numbers.map((number) => number.toFixed(4));
    const beginning = [...words, ...(vector.length > 4 ? ['…'] : [])].join(' ');
    return [plainText(lines[index]?.text ?? '', 40), String(vector.length), beginning];
  });
  return out.table(titles('TEXT', '>NUMBERS', 'VECTOR'), rows);
}

/** Keeps the nearest to the first vector, which is the query's, of any number of lines. */
function ranking({ out, flags }: Context, query: string, count: number) {
  let best: { similarity: number; line: number; text: string }[] = [];
  let queryVector: Vector | undefined;
  let compared = 0;
  return {
    put: ({ lines, vectors }: Answer) => {
      const first = queryVector;
      queryVector ??= vectors[0];
      if (!first) return;
      const ranked = lines.map(({ number, text }, index) => ({
        similarity: cosine(first, vectors[index] ?? []),
        line: number,
        text,
      }));
      const all = [...best, ...ranked].sort((one, other) => other.similarity - one.similarity);
      best = all.slice(0, count);
      compared += lines.length;
    },
    finish: async () => {
      const rows = best.map(({ similarity, line, text }) => [
        similarity.toFixed(4),
        String(line),
        text,
      ]);
      if (!flags.json) await out.table(titles('>SIMILARITY', '>LINE', 'TEXT'), rows);
      return { query, compared, results: best };
    },
  };
}

/** The header of a NumPy file is written first without rows, and again at the end. */
async function fileSink(
  plan: VectorFile,
  linesOf: (vectors: readonly Vector[]) => string,
): Promise<Sink> {
  const { isNpy, path } = plan;
  const file = await PartFile.openRows(path, plan);
  const left = isNpy ? rowsIn(file) : linesIn(file);
  let { rows, columns } = await left.catch(async (error: unknown) => {
    await file.abandon();
    throw error;
  });
  return {
    rowsBefore: rows,
    put: async ({ vectors }) => {
      const width = vectors[0]?.length ?? 0;
      if (columns !== 0 && columns !== width) {
        throw new LocalFileError(
          `${file.partPath} contains vectors of ${columns} numbers; the new ones have ${width}`,
          { code: 'other_length', hint: 'use the model that started the file' },
        );
      }
      if (columns === 0 && isNpy) await file.write(npyHeader({ rows: 0, columns: width }));
      columns = width;
      await file.write(isNpy ? Buffer.concat(vectors.map(npyRow)) : Buffer.from(linesOf(vectors)));
      // Before more is sent: rows that are lost are paid for again.
      await file.sync();
      rows += vectors.length;
    },
    finish: async () => {
      if (isNpy) await file.overwrite(npyHeader({ rows, columns }), 0);
      await file.finish();
      return undefined;
    },
    abandon: async (lines) => {
      const { keptBytes } = await file.abandon();
      if (keptBytes === 0) return 'run it again';
      return `the first ${lines} are in ${file.partPath}: run it again with --resume`;
    },
  };
}

/** Complete lines, and the length of their vectors; an incomplete last line is removed. */
async function linesIn(file: PartFile): Promise<NpyShape> {
  let rows = 0;
  let columns = 0;
  let end = 0;
  for (let at = 0; at < file.bytes;) {
    const piece = await file.read(at, 1024 * 1024);
    if (piece.length === 0) break;
    for (let feed = piece.indexOf(0x0a); feed !== -1; feed = piece.indexOf(0x0a, feed + 1)) {
      if (rows === 0) columns = numbersIn(piece.toString('utf8', 0, feed));
      if (columns === 0) throw foreignPart(file);
      rows += 1;
      end = at + feed + 1;
    }
    at += piece.length;
  }
  await file.truncate(end);
  return { rows, columns };
}

function numbersIn(line: string): number {
  const vector = parsedJson(line);
  if (typeof vector === 'string') return vectorFromBase64(vector)?.length ?? 0;
  return listOf(vector).length;
}

async function rowsIn(file: PartFile): Promise<NpyShape> {
  if (file.bytes < npyHeaderBytes) {
    await file.truncate(0);
    return { rows: 0, columns: 0 };
  }
  const columns = npyShape(await file.read(0, npyHeaderBytes))?.columns ?? 0;
  if (columns === 0) throw foreignPart(file);
  const rows = Math.floor((file.bytes - npyHeaderBytes) / (4 * columns));
  await file.truncate(npyHeaderBytes + rows * 4 * columns);
  return { rows, columns };
}

function foreignPart({ partPath }: PartFile): LocalFileError {
  return new LocalFileError(`${partPath} does not contain vectors written by svc`, {
    code: 'foreign_part',
    hint: 'choose another name, or start over with --force and without --resume',
  });
}
