/** The values of options and arguments, as they are declared. */
import type { Argument, Option } from '../command.js';
import type { TypedOption } from '../command-line.js';
import { parseDuration } from '../lib/duration.js';

/**
 * @param previous what the option has so far.
 * @param refuse gets a sentence about a value that does not fit.
 */
export function valueIn(
  { text: flag, option, value = '' }: TypedOption,
  previous: unknown,
  refuse: (fault: string) => void,
): unknown {
  if (option.type === 'switch') return !option.negated;
  const isMany = option.type === 'text' && option.many;
  if (!isMany && previous !== undefined) refuse(`${flag} is given twice, but takes one value`);
  if (option.type !== 'text') {
    const quantity = quantityIn(value, option);
    if (typeof quantity === 'number') return quantity;
    refuse(`${flag}: ${JSON.stringify(value)} is not ${quantity}`);
    return undefined;
  }
  const fault = choiceFault(flag, value, option.choices);
  if (fault !== undefined) refuse(fault);
  return isMany ? [previous ?? [], value].flat() : value;
}

/** @returns why an operand is none of the choices of its argument */
export function argumentFault(
  args: readonly Argument[] = [],
  operands: readonly string[],
): string | undefined {
  const faults = args.map(({ name, choices }, index) =>
    choiceFault(`<${name}>`, operands[index], choices),
  );
  return faults.find((fault) => fault !== undefined);
}

/** @returns why a value is none of the choices */
function choiceFault(
  what: string,
  value: string | undefined,
  choices: readonly string[] | undefined,
): string | undefined {
  if (value === undefined || !choices || choices.includes(value)) return undefined;
  return `${what}: ${JSON.stringify(value)} is not one of ${choices.join(', ')}`;
}

type Quantity = Exclude<Option, { type: 'switch' | 'text' }>;

/** @returns a number, or what it would have to be */
function quantityIn(text: string, { type, min = -Infinity, max = Infinity }: Quantity) {
  if (type === 'duration') return parseDuration(text, min === 0) ?? 'a duration such as 30s or 5m';
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= min && value <= max) return value;
  if (min === max) return String(min);
  const noun = type === 'integer' ? 'a whole number' : 'a number';
  const least = min === -Infinity ? '' : ` of at least ${String(min)}`;
  return noun + (max === Infinity ? least : ` from ${String(min)} to ${String(max)}`);
}
