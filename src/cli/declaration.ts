/**
 * Commands as data. Help, completions, the README's reference and the parser are derived from
 * these; a declaration imports nothing heavy, and its code is loaded when it runs.
 */
import { kebabCase } from '../lib/names.js';
import type { Context } from './context.js';

/** The headings under which `svc --help` groups commands, in this order. */
export const headings = ['Text', 'Media', 'Audio', 'Account', 'Support', 'Tools'] as const;
type Heading = (typeof headings)[number];

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Takes all that follows; only the last argument may. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
  /** What completion offers for it; `choices` are offered by themselves. */
  readonly completes?: Completes;
}

/** Words are a help, no limit: what is none of them is not refused. */
type Completes = 'file' | 'directory' | 'model' | readonly string[];

interface OptionBase {
  /** One letter, without the hyphen. One letter never means two things, `svc api` aside. */
  readonly short?: string;
  readonly summary: string;
  /** What holds when it is not given, in the words of the command line: `8787`. */
  readonly default?: string;
  /** Options with the same heading are shown together in help. */
  readonly heading?: string;
  /** Left out of help, completions and reference. */
  readonly hidden?: boolean;
}

/** A switch. `negated` declares `--no-name`: the value is true unless it is given. */
interface SwitchOption extends OptionBase {
  readonly type: 'switch';
  readonly negated?: boolean;
}

interface TextOption extends OptionBase {
  readonly type: 'text';
  /** The word that stands for the value in help: `ID`, `FILE`. */
  readonly value: string;
  readonly choices?: readonly string[];
  /** May be given several times; the values are kept in order. */
  readonly many?: boolean;
  /** What completion offers for the value. */
  readonly completes?: Completes;
}

interface NumberOption extends OptionBase {
  readonly type: 'number' | 'integer';
  readonly value: string;
  readonly min?: number;
  readonly max?: number;
}

/** A length of time: `30`, `30s`, `5m`, `250ms`; handed over in milliseconds. */
interface DurationOption extends OptionBase {
  readonly type: 'duration';
  readonly value: string;
  readonly canBeZero?: true;
}

export type Option = SwitchOption | TextOption | NumberOption | DurationOption;

/** Options by their long name in camelCase: `maxTokens` is `--max-tokens`. */
export type Options = Readonly<Record<string, Option>>;

export type Example = readonly [command: string, note: string];

/** Options as they are typed: `--json`, `--no-wait`, or with the one value that is meant: `-o -`. */
type Combination = readonly [one: string, other: string, ...others: string[]];

/** The code of a command, as its module exports it. */
export interface Loaded {
  // A method, so that a handler typed by its own declaration is accepted here.
  run(context: Context, input: Input): Promise<void>;
}

/** What any handler gets: arguments and options as parsed and checked by the declaration. */
interface Input {
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Command {
  readonly name: string;
  /** Of a bare verb: where `svc --help` shows it. */
  readonly heading?: Heading;
  readonly summary: string;
  readonly description?: string;
  readonly args?: readonly Argument[];
  readonly options?: Options;
  readonly examples?: readonly Example[];
  /** Ids of the contract rows it reaches; the sweep test reads them. */
  readonly endpoints?: readonly string[];
  readonly deprecated?: boolean;
  /** What cannot be given together: the first of each row with any of the others. */
  readonly conflicts?: readonly Combination[];
  /** What needs another: the first of each row one of the others. */
  readonly needs?: readonly Combination[];
  readonly load: () => Promise<Loaded>;
  /** Runs under --dry-run and --curl in place of `load`, where `load` would ask for more first. */
  readonly dryRun?: () => Promise<Loaded>;
  /**
   * What --help adds when the line has operands: `svc generate MODEL --help`. Of the arguments only
   * the first is handed over, for the rest of such a line is seldom whole.
   */
  readonly loadHelp?: () => Promise<Loaded>;
}

/** A noun with several verbs, or a bare verb (then `commands` is absent). */
export type Entry =
  | (Command & { readonly heading: Heading })
  | {
      readonly name: string;
      readonly heading: Heading;
      readonly summary: string;
      readonly commands: readonly Command[];
    };

/** Declares a command, keeping its literal types for the handler. */
export function command<const D extends Command>(declaration: D): D {
  return declaration;
}

/** What an option may say besides its value and its summary. */
type More<O extends Option> = Omit<Partial<O>, 'type' | 'value' | 'summary'>;

/** A switch. */
export function flag<const M extends More<SwitchOption>>(summary: string, more?: M) {
  return Object.assign({ type: 'switch', summary } as const, more);
}

/** An option with a text; `value` is the word that stands for it in help. */
export function text<const M extends More<TextOption>>(value: string, summary: string, more?: M) {
  return Object.assign({ type: 'text', value, summary } as const, more);
}

export function number<const M extends More<NumberOption>>(
  value: string,
  summary: string,
  more?: M,
) {
  return Object.assign({ type: 'number', value, summary } as const, more);
}

/** An option with a whole number. */
export function integer<const M extends More<NumberOption>>(
  value: string,
  summary: string,
  more?: M,
) {
  return Object.assign({ type: 'integer', value, summary } as const, more);
}

/** An option with a length of time: `30`, `30s`, `5m`, `250ms`; handed over in milliseconds. */
export function duration<const M extends More<DurationOption>>(
  value: string,
  summary: string,
  more?: M,
) {
  return Object.assign({ type: 'duration', value, summary } as const, more);
}

/** Options that help shows together, under a heading. */
export function under<const O extends Options>(heading: string, options: O): O {
  for (const option of Object.values(options)) Object.assign(option, { heading });
  return options;
}

type OptionValue<O extends Option> = O extends { type: 'switch'; negated: true }
  ? boolean
  : O extends { type: 'switch' }
    ? boolean | undefined
    : O extends { type: 'text'; many: true; choices: readonly (infer Choice)[] }
      ? readonly Choice[]
      : O extends { type: 'text'; many: true }
        ? readonly string[]
        : O extends { type: 'text'; choices: readonly (infer Choice)[] }
          ? Choice | undefined
          : O extends { type: 'text' }
            ? string | undefined
            : number | undefined;

type ArgumentValue<A extends Argument> = A extends { many: true }
  ? readonly string[]
  : A extends { required: true; choices: readonly (infer Choice)[] }
    ? Choice
    : A extends { required: true }
      ? string
      : string | undefined;

/** What the handler of a declaration gets. */
export interface InputOf<D extends Command> extends Input {
  readonly args: D extends { args: readonly Argument[] }
    ? { readonly [A in D['args'][number] as A['name']]: ArgumentValue<A> }
    : Record<string, never>;
  readonly options: D extends { options: Options }
    ? { readonly [Name in keyof D['options']]: OptionValue<D['options'][Name]> }
    : Record<string, never>;
}

/** The type of a verb file's `run`. */
export type Handler<D extends Command> = (context: Context, input: InputOf<D>) => Promise<void>;

/** `--max-tokens`, or `--no-stream` for a negated switch. */
export function longFlag(name: string, declared: Option): string {
  return `--${declared.type === 'switch' && declared.negated ? 'no-' : ''}${kebabCase(name)}`;
}

/** `-m, --max-tokens <N>` or `--no-stream`. */
export function flagsOf(name: string, declared: Option): string {
  const long = longFlag(name, declared);
  const flags = declared.short ? `-${declared.short}, ${long}` : long;
  return declared.type === 'switch' ? flags : `${flags} <${declared.value}>`;
}

/** What help says of an option: its summary, and the value that holds when it is not given. */
export function summaryOf({ summary, default: fallback }: Option): string {
  return fallback === undefined ? summary : `${summary} (default: ${fallback})`;
}
