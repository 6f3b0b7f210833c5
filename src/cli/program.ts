/** What a command line asks for, with its values checked against the declarations. */
import { UsageError } from '../errors.js';
import { parseDuration } from '../lib/duration.js';
import type { Invocation, Line, ParsedLine, Token } from '../command-line.js';
import type { Argument, Command, Entry, Option } from '../command.js';
import { route } from './route.js';

export function parseLine(argv: readonly string[], entries: readonly Entry[]): ParsedLine {
  const found = route(argv, entries);
  const { declaration, isHelp, names, path, refusal, tokens } = found;
  const isTopic = !declaration && names.length === 0;
  if (
    isHelp &&
    !isTopic &&
    !(declaration?.explainsOperand && tokens.some(({ isOperand }) => isOperand))
  )
    return { ...found, refusal: undefined };
  if (refusal !== undefined) return found;
  try {
    if (declaration) return { ...found, asked: invocationOf(found, declaration) };
  } catch (error) {
    if (error instanceof UsageError) return { ...found, refusal: error.message };
    throw error;
  }
  // Help is shown on a topic, and beside the error of a group that lacks its verb.
  const lacks = path[0]
    ? `svc ${path[0]} needs a verb: ${names.join(', ')}`
    : 'svc needs a command';
  return { ...found, isHelp: true, ...(names.length > 0 && { refusal: lacks }) };
}

/** @throws UsageError for values that do not fit the declaration. */
export function invocationOf(
  { isHelp, path, tokens }: Pick<Line, 'isHelp' | 'path' | 'tokens'>,
  declaration: Command,
): Invocation {
  const { args: declared = [], explainsOperand } = declaration;
  const words = tokens.filter(({ isOperand }) => isOperand).map(({ text }) => text);
  const options: Record<string, unknown> = {};
  const globals: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(declaration.options ?? {})) {
    if (option.type === 'text' && option.many) options[name] = [];
    if (option.type === 'switch' && option.negated) options[name] = true;
  }
  for (const { name, option, isGlobal, text, value = '' } of tokens) {
    if (name === undefined || !option) continue;
    const values = isGlobal ? globals : options;
    values[name] = valueOf(value, text, option, values[name]);
  }
  const [first] = declared;
  if (isHelp && first && explainsOperand) {
    return { path, declaration, isHelp, args: { [first.name]: words[0] }, options, globals };
  }
  const args = declared.map((one, index) => argumentOf(one, words.slice(index), path));
  const unexpected = declared.at(-1)?.many ? undefined : words[declared.length];
  if (unexpected !== undefined) {
    throw new UsageError(`too many arguments: ${JSON.stringify(unexpected)}`);
  }
  assertCombinations(declaration, tokens);
  return { path, declaration, isHelp: false, args: Object.fromEntries(args), options, globals };
}

function assertCombinations({ conflicts = [], needs = [] }: Command, tokens: readonly Token[]) {
  const given = new Set(
    tokens.flatMap(({ long = '', option, value = '' }) =>
      [long, `-${option?.short ?? ''}`].flatMap((flag) => [flag, `${flag} ${value}`]),
    ),
  );
  // What filters JSON prints JSON.
  const impliedBy = (flag: string) => (flag === '--json' ? [flag, '--jq', '--fields'] : [flag]);
  const rows = conflicts.flatMap(([one, ...others]) =>
    impliedBy(one).map((flag) => [flag, ...others.flatMap(impliedBy)] as const),
  );
  for (const [one, ...others] of rows) {
    const other = given.has(one) && others.find((flag) => given.has(flag));
    if (other) throw new UsageError(`${one} and ${other} cannot be used together`);
  }
  for (const [one, ...others] of needs) {
    const lacks = given.has(one) && !others.some((flag) => given.has(flag));
    if (lacks)
      throw new UsageError(`${one} needs ${others.join(', ').replace(/, ([^,]*)$/, ' or $1')}`);
  }
}

function argumentOf(
  { name, required, many, choices }: Argument,
  words: readonly string[],
  path: readonly string[],
): [name: string, value: unknown] {
  const [first] = words;
  if (first === undefined && required) {
    throw new UsageError(`${['svc', ...path].join(' ')}: missing argument <${name}>`);
  }
  const values = many ? words : words.slice(0, 1);
  for (const value of values) assertChoice(`<${name}>`, value, choices);
  return [name, many ? values : first];
}

function valueOf(text: string, flag: string, option: Option, previous: unknown): unknown {
  if (option.type === 'switch') return !option.negated;
  if (option.type === 'text' && option.many) {
    assertChoice(flag, text, option.choices);
    return [previous ?? [], text].flat();
  }
  if (previous !== undefined) {
    throw new UsageError(`${flag} is given twice, but takes one value`);
  }
  if (option.type !== 'text') return quantityIn(text, flag, option);
  assertChoice(flag, text, option.choices);
  return text;
}

function assertChoice(what: string, value: string, choices: readonly string[] | undefined): void {
  if (!choices || choices.includes(value)) return;
  const listed = choices.join(', ');
  throw new UsageError(`${what}: ${JSON.stringify(value)} is not one of ${listed}`);
}

type Quantity = Exclude<Option, { type: 'switch' | 'text' }>;

function quantityIn(text: string, flag: string, declared: Quantity): number {
  const { type, min = -Infinity, max = Infinity } = declared;
  const refusal = (wanted: string) =>
    new UsageError(`${flag}: ${JSON.stringify(text)} is not ${wanted}`);
  if (type === 'duration') {
    const durationMs = parseDuration(text, min === 0);
    if (durationMs === undefined) throw refusal('a duration such as 30s or 5m');
    return durationMs;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= min && value <= max) return value;
  if (min === max) throw refusal(String(min));
  const noun = type === 'integer' ? 'a whole number' : 'a number';
  const least = min === -Infinity ? '' : ` of at least ${String(min)}`;
  throw refusal(noun + (max === Infinity ? least : ` from ${String(min)} to ${String(max)}`));
}
