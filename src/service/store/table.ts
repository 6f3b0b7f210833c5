/** Tables declared once: their columns give reads and writes their types. */
import * as z from 'zod/mini';
import type { Sql, Value } from '../../lib/sql.js';
import { parseJson, recordOf, toJson, withAllDigits } from '../../lib/json.js';

/** The database's type for a column's schema. */
const columnTypes = z.registry<{ readonly sql: string; readonly isJson?: boolean }>();

/** @param rule what follows the type: `UNIQUE`, a CHECK */
export function text(rule = '') {
  return z.string().register(columnTypes, { sql: `TEXT NOT NULL ${rule}` });
}

export function integer(rule = '') {
  return z.number().register(columnTypes, { sql: `INTEGER NOT NULL ${rule}` });
}

/** The order of insertion, assigned by the database. */
export function place() {
  return z.number().register(columnTypes, { sql: 'INTEGER PRIMARY KEY' });
}

export function flag() {
  const isOne = z.transform((value: number) => value === 1);
  return z.pipe(z.number(), isOne).register(columnTypes, { sql: 'INTEGER NOT NULL' });
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words).register(columnTypes, { sql: 'TEXT NOT NULL' });
}

/** Any JSON; also unchanged texts, because the database ends its own at a NUL. */
export function json<Schema extends z.ZodMiniType>(schema: Schema) {
  const parsed = z.transform((text: string) => {
    const value = parseJson(text);
    return withAllDigits(schema.parse(value), value);
  });
  return z.pipe(z.string(), parsed).register(columnTypes, { sql: 'TEXT NOT NULL', isJson: true });
}

export function maybe<Column extends z.ZodMiniType>(column: Column) {
  const { sql = '', isJson } = columnTypes.get(column) ?? {};
  const filled = z.transform((value: z.output<Column> | null) => value ?? undefined);
  const empty = z.optional(z.pipe(z.nullable(column), filled));
  columnTypes.add(empty, { sql: sql.replace(' NOT NULL', ''), isJson });
  return empty;
}

export type RowOf<Of extends Table<z.ZodMiniObject>> = z.output<Of['row']>;
export type NewRow<Row> = Omit<Row, 'seq'>;

/** @param columns makes the fields of a row; `accountId` is the column `account_id` */
export function table<Columns extends z.core.$ZodLooseShape>(name: string, columns: () => Columns) {
  return new Table(name, () => z.object(columns()));
}

class Table<Row extends z.ZodMiniObject> {
  #made: ReturnType<typeof describe<Row>> | undefined;
  #rules: readonly string[] = [];

  constructor(
    readonly name: string,
    private readonly makeRow: () => Row,
  ) {}

  /** Made with the first use: a call needs few of the tables. */
  get #own() {
    return (this.#made ??= describe(this.name, this.makeRow()));
  }

  get row(): Row {
    return this.#own.row;
  }

  /** @param rules of the whole table: `CHECK (…)`; `INDEX (…)` and `UNIQUE INDEX (…)` */
  with(...rules: readonly string[]): this {
    this.#rules = rules;
    return this;
  }

  get schema(): string {
    const isIndex = (rule: string) => /^(UNIQUE )?INDEX /.test(rule);
    const columns = Array.from(this.#own.columns.values(), ({ name, sql }) => `${name} ${sql}`);
    const rules = this.#rules.filter((rule) => !isIndex(rule));
    const indexes = this.#rules.filter(isIndex).map((rule, nth) => {
      return `CREATE ${rule.replace('INDEX', `INDEX ${this.name}_${nth} ON ${this.name}`)};\n`;
    });
    const made = `CREATE TABLE ${this.name} (${[...columns, ...rules].join(', ')}) STRICT;\n`;
    return made + indexes.join('');
  }

  /** @param more follows in the statement, with its values: `AND seq < ?`, `ORDER BY seq` */
  find(sql: Sql, match: Partial<z.output<Row>>, more = '', ...values: Value[]) {
    const where = this.#where(match);
    const text = `${this.#own.select} ${where.sql} ${more}`;
    return sql.get(this.row, text, ...where.values, ...values);
  }

  all(sql: Sql, match: Partial<z.output<Row>>, more = '', ...values: Value[]) {
    const where = this.#where(match);
    const text = `${this.#own.select} ${where.sql} ${more}`;
    return sql.all(this.row, text, ...where.values, ...values);
  }

  count(sql: Sql, match: Partial<z.output<Row>>): number {
    const where = this.#where(match);
    return sql.number(`SELECT count(*) FROM ${this.name} ${where.sql}`, ...where.values) ?? 0;
  }

  /** @param or what to do with a row of the same key, instead of failing */
  insert(sql: Sql, row: NewRow<z.output<Row>>, or: '' | 'OR IGNORE' | 'OR REPLACE' = ''): void {
    const { names, values } = this.#fields(row);
    const marks = Array<string>(names.length).fill('?').join(', ');
    sql.run(`INSERT ${or} INTO ${this.name} (${names.join(', ')}) VALUES (${marks})`, ...values);
  }

  /** Inserts rows with the same fields, all or none, by one statement: calling it costs as much as a row. */
  insertAll(sql: Sql, rows: readonly NewRow<z.output<Row>>[]): void {
    const fields = Object.keys(rows[0] ?? {});
    const { names } = this.#fields(rows[0] ?? {});
    const values = names.map((_, nth) => `value ->> ${nth}`).join(', ');
    const text = `INSERT INTO ${this.name} (${names.join(', ')}) SELECT ${values} FROM json_each(?)`;
    // The order of a row's fields does not matter.
    const inOrder = (row: object) =>
      Object.fromEntries(fields.map((field) => [field, recordOf(row)[field]]));
    sql.run(text, JSON.stringify(rows.map((row) => this.#fields(inOrder(row)).values)));
  }

  /** Changes the rows with the values of `match`. @returns their number */
  update(sql: Sql, match: Partial<z.output<Row>>, change: Partial<z.output<Row>>): number {
    const where = this.#where(match);
    const { names, values } = this.#fields(change);
    const set = names.map((name) => `${name} = ?`).join(', ');
    return sql.run(`UPDATE ${this.name} SET ${set} ${where.sql}`, ...values, ...where.values);
  }

  remove(sql: Sql, match: Partial<z.output<Row>>): number {
    const where = this.#where(match);
    return sql.run(`DELETE FROM ${this.name} ${where.sql}`, ...where.values);
  }

  #where(match: object): { sql: string; values: Value[] } {
    const { names, values } = this.#fields(match);
    return { sql: ['WHERE TRUE', ...names.map((name) => `${name} IS ?`)].join(' AND '), values };
  }

  #fields(row: object): { names: string[]; values: Value[] } {
    const names: string[] = [];
    const values: Value[] = [];
    const { columns } = this.#own;
    for (const [field, value] of Object.entries(row)) {
      const column = columns.get(field);
      if (!column) throw new TypeError(`${this.name} has no column for ${field}`);
      names.push(column.name);
      values.push(valueOf(value, column.isJson));
    }
    return { names, values };
  }
}

function describe<Row extends z.ZodMiniObject>(table: string, row: Row) {
  const columns = Object.entries(row.shape).map(([field, column]) => {
    const name = `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
    return [field, { name, sql: '', ...columnTypes.get(column) }] as const;
  });
  const read = columns.map(([field, { name }]) => `${name} AS "${field}"`);
  return { row, columns: new Map(columns), select: `SELECT ${read.join(', ')} FROM ${table}` };
}

function valueOf(value: unknown, isJson = false): Value {
  if (value === undefined) return null;
  if (isJson) return toJson(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`a column cannot hold ${typeof value}`);
}
