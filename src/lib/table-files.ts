/** Tables as files: CSV (RFC 4180), harmless to spreadsheets, and NumPy arrays (NEP 1, 1.0). */

export type CsvValue = string | number | null | undefined;

/** With its line end. A text that looks like a formula gets an apostrophe before it. */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

// Also where blanks stand before it, and in the wide forms that some programs take for the same.
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

function field(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Enough for any shape, for the number of rows is written at the end; a multiple of 64. */
export const npyHeaderBytes = 128;

const magic = Buffer.from('\u0093NUMPY\u0001\u0000', 'latin1');

export interface NpyShape {
  readonly rows: number;
  readonly columns: number;
}

/** The header of a table that lies row after row, each number with its lowest byte first. */
export function npyHeader({ rows, columns }: NpyShape): Buffer {
  const header = Buffer.alloc(npyHeaderBytes, ' ');
  magic.copy(header);
  header.writeUInt16LE(npyHeaderBytes - magic.length - 2, magic.length);
  header.write(
    `{'descr': '<f4', 'fortran_order': False, 'shape': (${String(rows)}, ${String(columns)}), }`,
    magic.length + 2,
    'latin1',
  );
  header.write('\n', npyHeaderBytes - 1);
  return header;
}

/** The shape that a header of ours says; undefined when it is none. */
export function npyShape(header: Buffer): NpyShape | undefined {
  const [, rows, columns] = /, 'shape': \((\d+), (\d+)\), \}/.exec(header.toString('latin1')) ?? [];
  const shape = { rows: Number(rows), columns: Number(columns) };
  return header.subarray(0, npyHeaderBytes).equals(npyHeader(shape)) ? shape : undefined;
}

/** In the order of bytes that the machine has, which is that of the header wherever Node runs. */
export function npyRow(vector: ArrayLike<number>): Buffer {
  return Buffer.from(new Float32Array(vector).buffer);
}
