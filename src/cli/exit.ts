import { ApiError, exitCodeOf, SvcError } from '../errors.js';
import { isRecord, listOf, recordOf, textOf, toJson, type JsonRecord } from '../lib/json.js';
import { kebabCase, spelling } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { redact } from '../lib/redact.js';
import { sanitiseJson } from '../terminal/screen.js';
import type { Output } from '../terminal/types.js';
import type { Command, Options } from '../command.js';
import { globalOptions } from '../global-flags.js';

export interface ErrorOptions {
  readonly json: boolean;
  readonly debug: boolean;
  readonly command?: Command;
  readonly commandHint: (words: string) => string;
}

/** Reports an error on stderr, as one JSON object under --json, or with what its code means in Russian. */
export async function writeError(
  error: unknown,
  out: Output,
  options: ErrorOptions,
): Promise<void> {
  const known = error instanceof SvcError ? error : bugIn(error);
  const refusal = error instanceof ApiError ? error : undefined;
  const { retryAfterMs = Infinity, requestIds = {} } = refusal ?? {};
  const reported = {
    code: known.code,
    status: refusal?.status,
    message: known.message,
    hint: known.hint && options.commandHint(known.hint),
    requestId: Object.values(requestIds)[0],
    // Infinity too is a wait that could not be read.
    retryAfterSeconds: retryAfterMs === Infinity ? undefined : Math.ceil(retryAfterMs / 1000),
    details: refusalDetails(error),
  };
  if (options.json) {
    // Escaped, so that it is the same value on a terminal.
    out.error(sanitiseJson(toJson({ error: { exit: exitCodeOf(error), ...reported } })));
  } else {
    out.error(reported.message, 'error:');
    for (const line of faultLines(reported.details, options.command)) out.error(`  ${line}`);
    const { label, words = '', isHintSaid } = (await explanationFor(error, out)) ?? {};
    if (label) out.error(options.commandHint(words), label);
    if (reported.hint && !isHintSaid) out.error(reported.hint, 'hint:');
    if (reported.requestId) out.error(`request id: ${reported.requestId}`);
  }
  if (options.debug && error instanceof Error) out.error(redact(stackOf(error)));
}

/** Nothing where it cannot be loaded, as while svc is updated: the error itself is said. */
async function explanationFor(error: unknown, { language }: Output) {
  if (language === 'en') return undefined;
  const loading = import('../texts/explanation.js');
  return loading.then(({ explanationOf }) => explanationOf(error, language)).catch(() => undefined);
}

function bugIn(error: unknown): Pick<SvcError, 'code' | 'message' | 'hint'> {
  const message = `this is a bug in svc: ${redact(error instanceof Error ? error.message : String(error))}`;
  return { code: 'bug', message, hint: 'run it again with SVC_DEBUG=1 and report what it prints' };
}

function stackOf(error: Error): string {
  const own = error.stack ?? String(error);
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}

/** Fields of a refusal that the error itself has. */
const reportedFields = new Set(['ok', 'code', 'message', 'type', 'detail', 'request_id']);

/** The further fields of the refusal behind an error, as they came; undefined when there are none. */
export function refusalDetails(error: unknown): JsonRecord | undefined {
  const answer = answerBehind(error);
  const { error: inner, ...outer } = answer?.fields ?? {};
  const further = Object.entries({ ...outer, ...recordOf(inner) }).filter(
    ([name, value]) => !reportedFields.has(name) && value !== null,
  );
  if (further.length > 0) return Object.fromEntries(further);
  return answer && refusalDetails(answer.cause);
}

/** The service's answer that an error is about. */
export function answerBehind(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  return error instanceof Error ? answerBehind(error.cause) : undefined;
}

const maxLines = 30;

export function faultLines(details: JsonRecord = {}, command?: Command): string[] {
  const { violations, fields, field } = details;
  const unknown = [field, ...listOf(fields)].flatMap((name) => textOf(name) ?? []);
  const lines = [
    ...[...new Set(unknown)].map((name) => withFlag(name, flagFor(name, command))),
    ...listOf(violations).map((violation) => faultLine(violation, command)),
  ].map((line) => plainText(line, 300));
  const more = lines.length - maxLines;
  return more > 0 ? [...lines.slice(0, maxLines), `and ${String(more)} more`] : lines;
}

/** The usual fields of a violation: the specification shows none. */
const placeNames = ['field', 'path', 'param', 'name', 'instancePath', 'pointer'];
const wordNames = ['message', 'msg', 'reason', 'error', 'detail', 'code'];

function faultLine(violation: unknown, command: Command | undefined): string {
  const fault = isRecord(violation) ? violation : { message: violation };
  const first = (names: readonly string[]) =>
    names.map((name) => textOf(fault[name])).find(Boolean);
  const place = first(placeNames);
  const words = first(wordNames) ?? JSON.stringify(violation);
  const placePath = place?.replace(/^[#/]+/, '').replaceAll('/', '.');
  const path = placePath ?? /^[\w.[\]]+(?=[: ])/.exec(words)?.[0] ?? '';
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
  max_price_rub: 'maxCost',
  max_output_tokens: 'maxTokens',
  requestIds: 'requestId',
  clientIncidentId: 'incidentId',
};

function flagFor(path: string, command: Command | undefined): string | undefined {
  const [field = '', inner = ''] = path.split(/[.[\]]+/);
  const options: Options = { maxCost: globalOptions.maxCost, ...command?.options };
  if (field === 'opts' && inner !== '' && 'opt' in options) return `--opt ${inner}=…`;
  // The messages of a chat are the prompt, unless a file holds them.
  if (spelling(field) === 'messages') return undefined;
  const spellings = [field, otherNames[field] ?? field].map(spelling);
  const name = Object.keys(options).find((name) => spellings.includes(spelling(name)));
  const option = options[name ?? ''];
  if (name === undefined || !option) return undefined;
  return 'value' in option ? `--${kebabCase(name)} ${option.value}` : `--${kebabCase(name)}`;
}
