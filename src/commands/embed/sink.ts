/** Where vectors go, row after row, so that a million of them take no memory. */
import { LocalFileError } from '../../errors.js';
import { PartFile } from '../../files/part-file.js';
import { npyHeader, npyHeaderBytes, npyRow, npyShape } from '../../lib/table-files.js';
import { vectorFromBase64, vectorJson, vectorToBase64, type Vector } from '../../lib/vectors.js';
import type { Output } from '../../terminal/types.js';
import type { FilePlan, Plan } from './embed.js';

export interface Sink {
  /** Vectors that an earlier run left. */
  readonly kept: number;
  /** A promise means: no more until then. */
  put(vectors: readonly Vector[]): void | Promise<void>;
  /** All of them have been put. */
  finish(): Promise<void>;
  /** Ends it early, keeping what there is. @returns how to go on after so many lines. */
  abandon(lines: number): Promise<string>;
}

/** @throws LocalFileError when the file cannot be written, or stands there already. */
export async function openSink(out: Output, { file, isRaw }: Plan): Promise<Sink> {
  const line = isRaw
    ? (vector: Vector) => `${JSON.stringify(vectorToBase64(vector))}\n`
    : (vector: Vector) => `${vectorJson(vector)}\n`;
  return file ? fileSink(file, line) : stdoutSink(out, line);
}

function stdoutSink(out: Output, line: (vector: Vector) => string): Sink {
  return {
    kept: 0,
    put: (vectors) => out.text(vectors.map(line).join('')),
    finish: () => Promise.resolve(),
    abandon: (lines) => Promise.resolve(`go on with --skip ${String(lines)}`),
  };
}

/** The header of a NumPy file is written first, with no rows, and again when their number is known. */
async function fileSink(plan: FilePlan, line: (vector: Vector) => string): Promise<Sink> {
  const isNpy = plan.kind === 'npy';
  const file = await PartFile.openRows(plan.path, plan);
  const left = isNpy ? keptRows(file) : keptLines(file);
  let { rows, columns } = await left.catch(async (error: unknown) => {
    await file.abandon();
    throw error;
  });
  return {
    kept: rows,
    put: async (vectors) => {
      const width = vectors[0]?.length ?? 0;
      if (columns !== 0 && columns !== width) throw otherLength(file, columns, width);
      if (columns === 0 && isNpy) await file.write(npyHeader({ rows: 0, columns: width }));
      columns = width;
      const lines = isNpy ? vectors.map(npyRow) : [Buffer.from(vectors.map(line).join(''))];
      await file.write(Buffer.concat(lines));
      rows += vectors.length;
    },
    finish: async () => {
      if (isNpy) await file.overwrite(npyHeader({ rows, columns }), 0);
      await file.finish();
    },
    abandon: (lines) => leave(file, lines),
  };
}

/** What an earlier run left. */
interface Kept {
  readonly rows: number;
  /** Numbers of each; 0 where there are no rows. */
  readonly columns: number;
}

/** Whole lines; what is left of one that was cut goes. */
async function keptLines(file: PartFile): Promise<Kept> {
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

/** How many numbers the vector of a line has; 0 when it is none. */
function numbersIn(line: string): number {
  try {
    const vector: unknown = JSON.parse(line);
    if (Array.isArray(vector)) return vector.length;
    return typeof vector === 'string' ? (vectorFromBase64(vector)?.length ?? 0) : 0;
  } catch {
    return 0;
  }
}

/** Whole rows; what is left of one that was cut goes. */
async function keptRows(file: PartFile): Promise<Kept> {
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

async function leave(file: PartFile, lines: number): Promise<string> {
  const { keptBytes } = await file.abandon();
  if (keptBytes === 0) return 'run it again';
  return `the first ${String(lines)} are in ${file.partPath}: run it again with --resume`;
}

function foreignPart({ partPath }: PartFile): LocalFileError {
  return new LocalFileError(`${partPath} holds no vectors that svc wrote`, {
    code: 'foreign_part',
    hint: 'choose another name, or start over with --force and without --resume',
  });
}

function otherLength(file: PartFile, columns: number, width: number): LocalFileError {
  return new LocalFileError(
    `${file.partPath} holds vectors of ${String(columns)} numbers, and these have ${String(width)}`,
    { code: 'other_length', hint: 'go on with the model that it was begun with' },
  );
}
