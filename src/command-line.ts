/** What a command line says: interfaces only; cli/ reads it. */
import type { Command, Input, LiveKind, Option } from './command.js';
import type { ParsedOptions } from './global-flags.js';

/** An option that a line may have. */
export interface KnownOption {
  readonly name: string;
  readonly long: string;
  readonly option: Option;
  /** Each way to type it. */
  readonly flags: readonly string[];
  /** It means the same in every command. */
  readonly isGlobal: boolean;
}

/** One that it has, with the flag and the value that were typed. */
export interface TypedOption extends KnownOption {
  readonly text: string;
  readonly value?: string | undefined;
}

/** A line, read word by word. */
export interface Line {
  /** The names of the command, its group or a topic, as far as they are known. */
  path: readonly string[];
  declaration?: Command;
  /** The names that may follow. */
  names: readonly string[];
  options: TypedOption[];
  /** What stands after the names and is no option. */
  operands: readonly string[];
  /** The values of the command's options, and of those of every command. */
  values: Record<string, unknown>;
  globals: Record<string, unknown>;
  /** After `--` all words are operands. */
  isOver?: boolean;
  /** `help jobs list`, `--help jobs list`, `jobs help list` and `jobs list --help` are one. */
  isHelp: boolean;
  /** The help is to leave nothing out. */
  isFull?: boolean;
  isVersion?: boolean;
  /** The first mistake, in a sentence; without a known command there is no help either. */
  refusal?: string | undefined;
  isLost?: boolean;
  /** What is left out, where that is the first mistake and a person could choose it. */
  missing?: LiveKind | undefined;
  /** The first value that does not fit, of an option of every command and of any. */
  globalFault?: string;
  fault?: string;
  /** A name that is not a command, where that is the first mistake: it may have a meaning elsewhere. */
  unknown?: { name: string; before: readonly TypedOption[]; after: readonly string[] };
}

/** A command with its values. */
export interface Invocation extends Input {
  path: readonly string[];
  declaration: Command;
  globals: ParsedOptions;
  /** Its code is to explain the first operand, after the usual help. */
  isHelp: boolean;
}

/** A line with what it asks for. */
export interface ParsedLine extends Line {
  /** What to run; help that needs a request is run too, after the other help. */
  invocation?: Invocation;
}

/** A word that completion offers. */
export interface Candidate {
  readonly name: string;
  readonly summary?: string;
}

/** Values that only this machine knows; `line` is what stands before the word that is completed. */
export type LookUp = (
  kind: LiveKind,
  line: Pick<Line, 'globals' | 'operands' | 'path'>,
  start: string,
) => Promise<readonly Candidate[]>;
