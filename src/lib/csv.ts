/** Tables as RFC 4180 has them, harmless to spreadsheets. */

export type CsvValue = string | number | null | undefined;

/**
 * One record with its line end. A text that a spreadsheet would take for a formula gets an
 * apostrophe before it; numbers stay numbers.
 */
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
