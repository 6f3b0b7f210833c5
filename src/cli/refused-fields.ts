/** What a refusal says of the request beyond its message: each fault, and the flag that changes it. */
import { ApiError } from '../errors.js';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../lib/json.js';
import { kebabCase, spelling } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import type { Command } from './declaration.js';

/** What is told already, in the forms that a refusal has. */
const told = new Set(['ok', 'code', 'message', 'type', 'detail', 'request_id']);

/** The further fields of the refusal behind an error, as they came; undefined when there are none. */
export function refusalDetails(error: unknown): JsonRecord | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { error: inner, ...outer } = cause instanceof ApiError ? cause.fields : {};
    const further = Object.entries({ ...outer, ...recordOf(inner) }).filter(
      ([name, value]) => !told.has(name) && value !== null,
    );
    if (further.length > 0) return Object.fromEntries(further);
  }
  return undefined;
}

/** More than a person reads at once. */
const mostLines = 30;

/** A line for each fault. @param command whose flags are named. */
export function faultLines(details: JsonRecord = {}, command?: Command): string[] {
  const { violations, fields, field } = details;
  const list = Array.isArray(violations)
    ? listOf(violations)
    : Object.entries(recordOf(violations)).map(([path, message]) => ({ path, message }));
  const unknown = [field, ...listOf(fields)].flatMap((name) => textOf(name) ?? []);
  const lines = [
    ...[...new Set(unknown)].map((name) => withFlag(name, flagFor(name, command))),
    ...list.map((violation) => faultLine(violation, command)),
  ].map((line) => plainText(line, 300));
  const more = lines.length - mostLines;
  return more > 0 ? [...lines.slice(0, mostLines), `and ${String(more)} more`] : lines;
}

/** The shape of a violation is not shown in the specification. */
function faultLine(violation: unknown, command: Command | undefined): string {
  const fault = isRecord(violation) ? violation : { message: violation };
  const first = (names: readonly string[]) => names.map((name) => fault[name]).find(Boolean);
  const place = first(['field', 'path', 'param', 'name', 'instancePath', 'pointer', 'loc']);
  const allowed = listOf(fault['allowed']).map(String).join(', ');
  const words =
    textOf(first(['message', 'msg', 'reason', 'error', 'detail', 'code'])) ??
    (allowed === '' ? JSON.stringify(violation) : `must be one of ${allowed}`);
  const path =
    place === undefined
      ? (/^[\w.[\]]+(?=[: ])/.exec(words)?.[0] ?? '')
      : (Array.isArray(place) ? place : [place])
          .map(String)
          .join('.')
          .replace(/^[#/]+/, '')
          .replaceAll('/', '.');
  const line = words.includes(path) ? words : `${path}: ${words}`;
  const opt = command?.options?.['opt'] && `--opt ${path}=…`;
  const isOption = /^\w+$/.test(path) && !command?.args?.some(({ name }) => name === path);
  return withFlag(line, flagFor(path, command) ?? (place && isOption ? opt : undefined));
}

function withFlag(line: string, flag: string | undefined): string {
  return flag === undefined ? line : `${line} (${flag})`;
}

/** Where a flag is called otherwise than its field. */
const otherNames: Readonly<Record<string, string>> = {
  n: 'count',
  num: 'count',
  max_results: 'count',
  max_price_rub: 'maxPrice',
  max_output_tokens: 'maxTokens',
  requestIds: 'requestId',
  clientIncidentId: 'incidentId',
};

function flagFor(path: string, command: Command | undefined): string | undefined {
  const [field = '', inner = ''] = path.split(/[.[\]]+/);
  const options = command?.options ?? {};
  if (field === 'opts' && inner !== '' && 'opt' in options) return `--opt ${inner}=…`;
  const wanted = [field, otherNames[field] ?? field].map(spelling);
  // The messages of a chat are the prompt, unless a file holds them.
  const found = Object.entries(options).find(
    ([name]) => name !== 'messages' && wanted.includes(spelling(name)),
  );
  if (!found) return undefined;
  const [name, option] = found;
  return `--${kebabCase(name)}${option.type === 'switch' || !('value' in option) ? '' : ` ${option.value}`}`;
}
