/** Commands as data: help, completion, reference and parser derive from it; commands/code.ts has their code. */
import { kebabCase } from './lib/names.js';

export const headings = ['Text', 'Media', 'Account', 'Support', 'Tools'] as const;
type Heading = (typeof headings)[number];

/** What a part of the help can stand under: parts of every page, and topics of a command's options. */
export type HelpTitle =
  | Heading
  | 'Usage'
  | 'Examples'
  | 'Arguments'
  | 'Options'
  | 'Verbs'
  | 'More'
  | 'Topics'
  | 'Your aliases'
  | 'Your extensions'
  | 'Answer'
  | 'Conversation'
  | 'Filter and order'
  | 'Help'
  | 'Input'
  | 'Limits'
  | 'Long texts'
  | 'Model'
  | 'Money'
  | 'Output'
  | 'Pages'
  | 'Questions'
  | 'Ranking'
  | 'Reasoning'
  | 'Request'
  | 'Results'
  | 'Resuming'
  | 'Scripts'
  | 'Service'
  | 'Tapes'
  | 'Templates'
  | 'Time'
  | 'Time range'
  | 'Tools and format'
  | 'Where and how';

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** What the first one is where the second stands alone. */
  readonly default?: string;
  /** Takes all that follows; only the last argument may. */
  readonly many?: boolean;
  /** Of `many`: the line of another program, whose options are not those of svc. */
  readonly isLine?: true;
  readonly choices?: readonly string[];
  /** What completion offers for it; `choices` are offered by themselves. */
  readonly completes?: Completes;
}

/** What completion looks up; `option` and `setting` are values of what the line names. */
type Stored = 'model' | 'job' | 'conversation' | 'turn' | 'voice' | 'ticket';
export type LiveKind =
  Stored | 'media' | 'option' | 'template' | 'tool' | 'profile' | 'alias' | 'setting';

/** The choices are suggestions: other values are accepted. */
type Completes = 'file' | 'directory' | LiveKind | readonly string[];

interface OptionBase {
  readonly short?: string;
  /** Other ways to type it, which are shown nowhere: `-n --count`. */
  readonly also?: string;
  readonly summary: string;
  /** What holds when it is not given, in the words of the command line: `8787`. */
  readonly default?: string;
  /** Where a command has many options, `--help` lists those without, and `--help --all` the rest. */
  readonly heading?: HelpTitle;
}

interface SwitchOption extends OptionBase {
  readonly type: 'switch';
  /** Declares `--no-name`: the value is true unless it is given. */
  readonly negated?: boolean;
}

interface TextOption extends OptionBase {
  readonly type: 'text';
  readonly value: string;
  readonly choices?: readonly string[];
  readonly many?: boolean;
  /** By itself a value of FILE or DIR is completed as one. */
  readonly completes?: Completes;
}

/** A duration is `30`, `30s`, `5m` or `250ms`, handed over in milliseconds. */
interface NumberOption extends OptionBase {
  readonly type: 'number' | 'integer' | 'duration';
  readonly value: string;
  /** What it is without a value; one is then given only as in `--name=VALUE`. */
  readonly bare?: string;
  readonly min?: number;
  readonly max?: number;
}

export type Option = SwitchOption | TextOption | NumberOption;

/** Options by their long name in camelCase: `maxTokens` is `--max-tokens`. */
export type Options = Readonly<Record<string, Option>>;

/** Options as they are typed: `--json`, `--no-wait`, or with the one value that is meant: `-o -`. */
type Combination = readonly [one: string, other: string, ...others: string[]];

export interface Input {
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
  /** The columns of its table, as --header names them. */
  readonly columns?: readonly string[];
  /** A line to type, with what it is for after ` # `. */
  readonly examples?: readonly string[];
  /** Ids of the contract rows it reaches; the sweep test reads them. */
  readonly endpoints?: readonly string[];
  /** It may reach a row that charges, beyond `endpoints`. */
  readonly mayCharge?: true;
  readonly deprecated?: boolean;
  /** The help of its group lists it after the others; that of svc only with `--all`. */
  readonly isMore?: true;
  /** What cannot be given together: the first of each row with any of the others. */
  readonly conflicts?: readonly Combination[];
  /** What needs another: the first of each row one of the others. */
  readonly needs?: readonly Combination[];
  /** Its code explains the first operand of a line with --help. */
  readonly explainsOperand?: true;
}

export interface Group {
  readonly name: string;
  readonly heading: Heading;
  readonly summary: string;
  readonly commands: readonly Command[];
  readonly isMore?: true;
  /** The verb that runs when none is named: `list`. */
  readonly bare?: Command | undefined;
}

export type Entry = (Command & { readonly heading: Heading }) | Group;

export function command<const D extends Omit<Command, 'name' | 'summary'>>(
  name: string,
  summary: string,
  more: D,
) {
  return { name, summary, ...more };
}

export function group(
  heading: Heading,
  name: string,
  summary: string,
  commands: readonly Command[],
): Group {
  return { name, heading, summary, commands, bare: commands.find((one) => one.name === 'list') };
}

type More<O extends Option> = Omit<Partial<O>, 'type' | 'value' | 'summary'>;

export function flag<const M extends More<SwitchOption>>(summary: string, more?: M) {
  return Object.assign({ type: 'switch', summary } as const, more);
}

/** How an option of one type is declared; `value` is the word that stands for it in help. */
function declaring<O extends Exclude<Option, SwitchOption>>(type: O['type']) {
  return <const M extends More<O>>(value: string, summary: string, more?: M) =>
    Object.assign({ type, value, summary }, more);
}

const ofText = declaring<TextOption>('text');

export const text = Object.assign(ofText, {
  /** One that may be given more than once, and says so. */
  several: <const M extends More<TextOption>>(value: string, summary: string, more?: M) =>
    Object.assign(ofText(value, `${summary}; may be repeated`, more), { many: true } as const),
  model: (summary: string) => ofText('ID', summary, { short: 'm', completes: 'model' }),
  /** In the words that `parseMoment` knows. */
  moment: (what: string) =>
    ofText('WHEN', `${what} today, 7d, 24h, 2026-11-01, 2026-11 or a time, in your time zone`),
});
/** Where bytes go, and whether they may replace a file: -o and --force of every command with files. */
export function output(value: string, summary: string) {
  return {
    output: text(value, summary, { short: 'o' }),
    force: flag('replace the file of -o'),
  };
}

export const number = declaring<NumberOption>('number');
export const integer = declaring<NumberOption>('integer');
/** --limit of a list that has no pages. */
export const firstOnes = { limit: integer('N', 'list only the first N', { min: 1 }) };
export const duration = declaring<NumberOption>('duration');

/** The same options, which help lists under a heading of their own. */
export function under<const O extends Options>(heading: HelpTitle, options: O): O {
  for (const option of Object.values(options)) Object.assign(option, { heading });
  return options;
}

type Chosen<O> = O extends { choices: readonly (infer Choice)[] } ? Choice : string;

type OptionValue<O extends Option> = O extends { type: 'switch' }
  ? boolean | (O extends { negated: true } ? never : undefined)
  : O extends { type: 'text' }
    ? O extends { many: true }
      ? readonly Chosen<O>[]
      : Chosen<O> | undefined
    : number | undefined;

type ArgumentValue<A extends Argument> = A extends { many: true }
  ? readonly string[]
  : Chosen<A> | (A extends { required: true } | { default: string } ? never : undefined);

export interface InputOf<D extends Command> extends Input {
  readonly args: D extends { args: readonly Argument[] }
    ? { readonly [A in D['args'][number] as A['name']]: ArgumentValue<A> }
    : Record<string, never>;
  readonly options: D extends { options: Options }
    ? { readonly [Name in keyof D['options']]: OptionValue<D['options'][Name]> }
    : Record<string, never>;
}

export function longFlag(name: string, declared: Option): string {
  return `--${declared.type === 'switch' && declared.negated ? 'no-' : ''}${kebabCase(name)}`;
}

export function flagsOf(name: string, declared: Option): string {
  const long = longFlag(name, declared);
  const flags = declared.short ? `-${declared.short}, ${long}` : long;
  if (declared.type === 'switch') return flags;
  return bareOf(declared) === undefined
    ? `${flags} <${declared.value}>`
    : `${flags}[=${declared.value}]`;
}

/** The value of an option that is given without one; undefined where it needs one. */
export function bareOf(declared: Option): string | undefined {
  return 'bare' in declared ? declared.bare : undefined;
}

/** `<kind>`, `[prompt...]` */
export function placeOf({ name, required, many }: Argument): string {
  const word = many ? `${name}...` : name;
  return required ? `<${word}>` : `[${word}]`;
}

export function summaryOf({ summary, default: fallback }: Option): string {
  return fallback === undefined ? summary : `${summary} (default: ${fallback})`;
}

export function exampleParts(example: string): [command: string, note: string] {
  const at = example.lastIndexOf(' # ');
  return [example.slice(0, at), example.slice(at + 3)];
}
