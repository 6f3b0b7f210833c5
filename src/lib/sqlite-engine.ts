/** The SQLite of the runtime, or libsql where that has none. */
import process from 'node:process';
import Libsql from 'libsql';

export type Value = string | number | Uint8Array | null;

/** A connection, as node:sqlite has it. `codeOf` names what it and its statements throw. */
export interface Engine {
  /** Compiles one statement, whose values are `?`: node:sqlite of 22.16 cannot bind to `?1`. */
  prepare(sql: string): Statement;
  /** Runs statements that take no values and return no rows. */
  exec(sql: string): void;
  /** node:sqlite throws when it is closed already. */
  close(): void;
}

export interface Statement {
  /** The first row as an object, perhaps without a prototype; undefined without rows. */
  get(...values: Value[]): unknown;
  /** All rows. A BLOB is a Uint8Array, or of libsql an ArrayBuffer. */
  all(...values: Value[]): unknown[];
  /** Whether integers are read as bigint; node:sqlite throws for one above 2^53 otherwise. */
  setReadBigInts?(isOn: boolean): void;
  /** `changes` is of the last INSERT, UPDATE or DELETE. */
  run(...values: Value[]): { readonly changes: number | bigint };
}

/** @param options how many ms a statement waits for another process's transaction */
type Opener = new (path: string, options: { readonly timeout: number }) => Engine;

export const SqliteEngine: Opener = ofRuntime() ?? Libsql;

/**
 * Before 22.16 it has neither FTS5 nor a time to wait. In the single binary it is Bun's, which on
 * macOS is the system's, of any age.
 */
function ofRuntime(): Opener | undefined {
  const { bun, node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (bun !== undefined && process.platform === 'darwin') return;
  if (major < 22 || major === 23 || (major === 22 && minor < 16)) return;
  const shown = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  // Loading it prints that it is experimental (up to 24), which is of no use to a user.
  process.emitWarning = () => undefined;
  try {
    const module: { DatabaseSync?: Opener } = process.getBuiltinModule('node:sqlite') ?? {};
    return module.DatabaseSync;
  } finally {
    if (shown) Object.defineProperty(process, 'emitWarning', shown);
  }
}
