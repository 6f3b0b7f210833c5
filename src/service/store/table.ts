/** Tables that are declared once: what is read and written is typed by their columns. */
import * as z from 'zod/mini';
import type { Sql, Value } from '../../lib/sql.js';

/** How the database keeps what a column's schema reads. */
interface Kept {
  readonly sql: string;
  readonly isJson?: boolean;
}

const kept = z.registry<Kept>();

/** @param rule what follows the type: `UNIQUE`, a CHECK */
export function text(rule = '') {
  return z.string().register(kept, { sql: `TEXT NOT NULL ${rule}` });
}

export function integer(rule = '') {
  return z.number().register(kept, { sql: `INTEGER NOT NULL ${rule}` });
}

/** The place among all rows, in the order of their making; the database gives it. */
export function place() {
  return z.number().register(kept, { sql: 'INTEGER PRIMARY KEY' });
}

export function flag() {
  const column = z.pipe(
    z.number(),
    z.transform((value: number) => value === 1),
  );
  return column.register(kept, { sql: 'INTEGER NOT NULL' });
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words).register(kept, { sql: 'TEXT NOT NULL' });
}

/** Any JSON; also a text as it came: the database ends its own at a NUL. */
export function json<Schema extends z.ZodMiniType>(schema: Schema) {
  const column = z.pipe(
    z.string(),
    z.transform((text: string) => schema.parse(JSON.parse(text))),
  );
  return column.register(kept, { sql: 'TEXT NOT NULL', isJson: true });
}

/** A column that may be empty. */
export function maybe<Column extends z.ZodMiniType>(column: Column) {
  const { sql = '', isJson } = kept.get(column) ?? {};
  const empty = z.optional(
    z.pipe(
      z.nullable(column),
      z.transform((value: z.output<Column> | null) => value ?? undefined),
    ),
  );
  kept.add(empty, { sql: sql.replace(' NOT NULL', ''), isJson });
  return empty;
}

export type RowOf<Of extends Table<z.ZodMiniObject>> = z.output<Of['row']>;
/** A row before the database has given it its place. */
export type NewRow<Row> = Omit<Row, 'seq'>;

/** @param columns the fields of a row, `accountId` being kept as `account_id` */
export function table<Columns extends z.core.$ZodLooseShape>(name: string, columns: Columns) {
  return new Table(name, z.object(columns));
}

class Table<Row extends z.ZodMiniObject> {
  readonly #select: string;
  #rules: readonly string[] = [];

  constructor(
    readonly name: string,
    readonly row: Row,
  ) {
    const columns = Object.keys(row.shape).map((field) => `${columnOf(field)} AS "${field}"`);
    this.#select = `SELECT ${columns.join(', ')} FROM ${name}`;
  }

  /** @param rules of the whole table: `CHECK (…)`; `INDEX (…)` and `UNIQUE INDEX (…)` */
  with(...rules: readonly string[]): this {
    this.#rules = rules;
    return this;
  }

  /** The statements that make the table. */
  get schema(): string {
    const isIndex = (rule: string) => /^(UNIQUE )?INDEX /.test(rule);
    const rules = this.#rules.filter((rule) => !isIndex(rule));
    const columns = Object.entries(this.row.shape).map(
      ([field, column]) => `${columnOf(field)} ${kept.get(column)?.sql ?? ''}`,
    );
    const indexes = this.#rules
      .filter(isIndex)
      .map(
        (rule, nth) =>
          `CREATE ${rule.replace('INDEX', `INDEX ${this.name}_${nth} ON ${this.name}`)}`,
      );
    return [
      `CREATE TABLE ${this.name} (${[...columns, ...rules].join(', ')}) STRICT`,
      ...indexes,
      '',
    ].join(';\n');
  }

  /**
   * The first row that has the values of `match`.
   * @param more follows in the statement, with its values: `AND seq < ?`, `ORDER BY seq`
   */
  find(sql: Sql, match: Partial<z.output<Row>>, more = '', ...values: Value[]) {
    const where = this.#where(match);
    return sql.get(this.row, `${this.#select} ${where.sql} ${more}`, ...where.values, ...values);
  }

  /** As `find`, but every row. */
  all(sql: Sql, match: Partial<z.output<Row>>, more = '', ...values: Value[]) {
    const where = this.#where(match);
    return sql.all(this.row, `${this.#select} ${where.sql} ${more}`, ...where.values, ...values);
  }

  count(sql: Sql, match: Partial<z.output<Row>>): number {
    const where = this.#where(match);
    return sql.number(`SELECT count(*) FROM ${this.name} ${where.sql}`, ...where.values) ?? 0;
  }

  /** @param or what to do with a row of the same key, instead of failing */
  insert(sql: Sql, row: NewRow<z.output<Row>>, or: '' | 'OR IGNORE' | 'OR REPLACE' = ''): void {
    const fields = this.#fields(row);
    const columns = fields.map(({ column }) => column).join(', ');
    const marks = fields.map(() => '?').join(', ');
    const values = fields.map(({ value }) => value);
    sql.run(`INSERT ${or} INTO ${this.name} (${columns}) VALUES (${marks})`, ...values);
  }

  /** Changes the rows that have the values of `match`. @returns how many there were */
  update(sql: Sql, match: Partial<z.output<Row>>, change: Partial<z.output<Row>>): number {
    const where = this.#where(match);
    const fields = this.#fields(change);
    const set = fields.map(({ column }) => `${column} = ?`).join(', ');
    const values = [...fields.map(({ value }) => value), ...where.values];
    return sql.run(`UPDATE ${this.name} SET ${set} ${where.sql}`, ...values);
  }

  /** @returns how many there were */
  remove(sql: Sql, match: Partial<z.output<Row>>): number {
    const where = this.#where(match);
    return sql.run(`DELETE FROM ${this.name} ${where.sql}`, ...where.values);
  }

  #where(match: object): { sql: string; values: Value[] } {
    const fields = this.#fields(match);
    const tests = fields.map(({ column }) => `${column} IS ?`);
    return {
      sql: `WHERE ${['TRUE', ...tests].join(' AND ')}`,
      values: fields.map(({ value }) => value),
    };
  }

  #fields(row: object): { column: string; value: Value }[] {
    return Object.entries(row).map(([field, value]) => {
      const column = this.row.shape[field];
      const isJson = column !== undefined && kept.get(column)?.isJson === true;
      return { column: columnOf(field), value: valueOf(value, isJson) };
    });
  }
}

function columnOf(field: string): string {
  return `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
}

function valueOf(value: unknown, isJson: boolean): Value {
  if (value === undefined) return null;
  if (isJson) return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`a column cannot hold ${typeof value}`);
}
