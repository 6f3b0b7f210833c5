/** Declared options and arguments, as commander's. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../lib/duration.js';
import type {
  Argument as ArgumentDeclaration,
  Option as OptionDeclaration,
  Options,
} from './declaration.js';
import { flagsOf, summaryOf } from './flags.js';
import { globalOptions, type ParsedOptions } from './globals.js';

/** An argument, shown as `<name>`, `[name]` or `[name...]`. */
export function toArgument({
  name,
  summary,
  required,
  many,
  choices,
}: ArgumentDeclaration): Argument {
  const word = many ? `${name}...` : name;
  const argument = new Argument(required ? `<${word}>` : `[${word}]`, summary);
  return choices ? argument.choices(choices) : argument;
}

/** An option that parses and checks its value. */
export function toOption(name: string, declared: OptionDeclaration, Kind = Option): Option {
  const option = new Kind(flagsOf(name, declared), summaryOf(declared));
  if (declared.heading) option.helpGroup(`${declared.heading}:`);
  if (declared.hidden) option.hideHelp();
  if (declared.type === 'switch') return option;
  if (declared.type === 'text') {
    if (declared.choices) option.choices(declared.choices);
    if (!declared.many) return option;
    return option.argParser((value: string, previous: readonly string[] | undefined) => {
      if (declared.choices && !declared.choices.includes(value)) {
        throw new InvalidArgumentError(`Allowed choices are ${declared.choices.join(', ')}.`);
      }
      return [...(previous ?? []), value];
    });
  }
  return option.argParser((text) => parseQuantity(text, declared));
}

function parseQuantity(
  text: string,
  declared: Exclude<OptionDeclaration, { type: 'switch' | 'text' }>,
) {
  if (declared.type === 'duration') {
    const durationMs = parseDuration(text);
    if (durationMs === undefined) throw new InvalidArgumentError('It must be a time: 30s, 5m.');
    return durationMs;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const { min = -Infinity, max = Infinity } = declared;
  const fits = declared.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= min && value <= max) return value;
  if (min === max) throw new InvalidArgumentError(`It must be ${String(min)}.`);
  const noun = declared.type === 'integer' ? 'a whole number' : 'a number';
  const range =
    max !== Infinity
      ? ` from ${String(min)} to ${String(max)}`
      : min !== -Infinity
        ? ` of at least ${String(min)}`
        : '';
  throw new InvalidArgumentError(`It must be ${noun}${range}.`);
}

/** The heading under which a command lists the options that all commands have. */
export const globalTitle = 'Global Options:';
const globalPrefix = 'global ';

/** An option that means the same everywhere; its value keeps apart from a command's own. */
export class GlobalOption extends Option {
  override attributeName(): string {
    return globalPrefix + super.attributeName();
  }
}

/** The options that mean the same everywhere. */
export function globals(): Option[] {
  return Object.entries<OptionDeclaration>(globalOptions).map(([name, declared]) =>
    toOption(name, declared, GlobalOption),
  );
}

/**
 * Each command takes the global options itself. Were they the program's alone, it would look for
 * them in all that follows, also in the values of options that it does not know.
 */
export function addGlobals(command: Command): void {
  for (const option of globals()) command.addOption(option.helpGroup(globalTitle));
}

/** The values of a command's own options; those that may be repeated are never absent. */
export function ownOptions(command: Command, declared: Options = {}): ParsedOptions {
  // As commander's own defaults the empty lists would stand in help as `(default: [])`.
  const lists = Object.entries(declared).filter(([, one]) => one.type === 'text' && one.many);
  const given = Object.entries(command.opts<ParsedOptions>()).filter(
    ([name]) => !name.startsWith(globalPrefix),
  );
  return Object.fromEntries([...lists.map(([name]) => [name, []] as const), ...given]);
}

/** What was given before, within and after the command; the last counts. */
export function globalsGiven(command: Command): ParsedOptions {
  const given = Object.entries(command.opts<ParsedOptions>())
    .filter(([name]) => command.getOptionValueSource(name) === 'cli')
    .filter(([name]) => name.startsWith(globalPrefix))
    .map(([name, value]) => [name.slice(globalPrefix.length), value] as const);
  const before = command.parent ? globalsGiven(command.parent) : {};
  return { ...before, ...Object.fromEntries(given) };
}
