/** Numbers and strings within the bounds of a schema. */
import { cutAt } from '../pieces.js';
import { fits } from './bounded.js';
import { expression } from './matches.js';
import { stringFor } from './pattern.js';
import { numberOf, SchemaTrouble, type Schema } from './schema.js';
import { exampleOf, fitsFormat } from './strings.js';

const mostTries = 10_000;
const longestString = 100_000;

/** The `nth` number that a schema allows, counted from its lower bound or from zero. */
export function sampleNumber(schema: Schema, integer: boolean, nth: number): number {
  const low = Math.max(
    numberOf(schema, 'minimum') ?? -Infinity,
    numberOf(schema, 'exclusiveMinimum') ?? -Infinity,
  );
  const high = Math.min(
    numberOf(schema, 'maximum') ?? Infinity,
    numberOf(schema, 'exclusiveMaximum') ?? Infinity,
  );
  const allowed = (value: number) =>
    value >= low &&
    value <= high &&
    value !== numberOf(schema, 'exclusiveMinimum') &&
    value !== numberOf(schema, 'exclusiveMaximum') &&
    (!integer || Number.isInteger(value));
  const multiple = numberOf(schema, 'multipleOf');
  if (multiple !== undefined && multiple > 0) return stepped(low, high, multiple, nth, allowed);
  if (integer) return stepped(low, high, 1, nth, allowed);
  const start = startOf(low, high);
  const spread = Number.isFinite(high) && Number.isFinite(low) ? (high - low) / (nth + 2) : 1;
  for (const value of [start + nth, low + spread * (nth + 1), high - spread * (nth + 1)]) {
    if (allowed(value)) return value;
  }
  throw new SchemaTrouble('no number lies within the bounds');
}

function startOf(low: number, high: number): number {
  if (low <= 0 && high >= 0) return 0;
  return low > 0 ? low : high;
}

function stepped(
  low: number,
  high: number,
  step: number,
  nth: number,
  allowed: (value: number) => boolean,
): number {
  const start = startOf(low, high);
  // Upwards from the start; downwards only when everything lies below zero.
  const direction = start < 0 && !Number.isFinite(low) ? -1 : 1;
  const first = start < 0 && Number.isFinite(low) ? low : start;
  let index = direction > 0 ? Math.ceil(first / step) : Math.floor(first / step);
  let left = nth;
  for (let tries = 0; tries < mostTries; tries += 1, index += direction) {
    const value = index * step + 0;
    // A product that does not divide back exactly is refused by strict validators.
    if (!Number.isInteger(value / step) || !allowed(value)) continue;
    if (left === 0) return value;
    left -= 1;
  }
  throw new SchemaTrouble('no multiple lies within the bounds');
}

/** A string that a schema allows; `text` where the schema leaves it free. */
export function sampleString(schema: Schema, text: string, nth: number): string {
  const minLength = numberOf(schema, 'minLength') ?? 0;
  const maxLength = numberOf(schema, 'maxLength') ?? Infinity;
  if (minLength > longestString) {
    throw new SchemaTrouble(`a string of ${minLength} characters is too long to make up`);
  }
  const format = typeof schema.format === 'string' ? exampleOf(schema.format) : undefined;
  if (format !== undefined && typeof schema.format === 'string') {
    return variant(format, schema.format, nth);
  }
  if (typeof schema.pattern === 'string') {
    const pattern = expression(schema.pattern);
    if (nth === 0 && fits(pattern, text) && text.length >= minLength && text.length <= maxLength) {
      return text;
    }
    const found = stringFor(pattern, minLength);
    if (found !== undefined) return found;
    throw new SchemaTrouble(`the pattern ${JSON.stringify(schema.pattern)} is beyond them`);
  }
  const suffix = nth === 0 ? '' : String(nth + 1);
  const plain = cutAt(text, Math.max(0, maxLength - suffix.length)) + suffix;
  return plain + 'x'.repeat(Math.max(0, minLength - plain.length));
}

/** Whether a schema leaves a string's wording free. */
export function isFreeString(schema: Schema): boolean {
  return (
    schema.pattern === undefined &&
    (typeof schema.format !== 'string' || exampleOf(schema.format) === undefined)
  );
}

/** Different strings of one format: one digit or letter is changed. */
function variant(example: string, format: string, nth: number): string {
  let left = nth;
  for (let at = example.length - 1; left > 0 && at >= 0; at -= 1) {
    for (const char of '0123456789') {
      const other = example.slice(0, at) + char + example.slice(at + 1);
      if (other === example || !fitsFormat(other, format)) continue;
      left -= 1;
      if (left === 0) return other;
    }
  }
  return example;
}
