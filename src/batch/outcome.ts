/** What came of one request: what to do after a failure, and its line in OUT or the errors file. */
import { hash } from 'node:crypto';
import { outcomeIsUnknown } from '../api/failure.js';
import { ApiError, ConfigError, LocalFileError, NetworkError, TimeoutError } from '../errors.js';
import type { SvcError } from '../errors.js';
import { jsonWithoutSecrets } from '../lib/redact.js';
import type { BatchAnswer, BatchRequest } from './request.js';
import { lineStart } from './output-line.js';
import { toJson } from '../lib/json.js';

/**
 * `refused`: a limit was reached; `again`: it may succeed later; `end`: so would every other
 * request fail; `failed`: for good. Only `unknown` may have been charged.
 */
export type Outcome = 'unknown' | 'refused' | 'again' | 'end' | 'failed';

export function outcomeOf(error: SvcError): Outcome {
  if (outcomeIsUnknown(error)) return 'unknown';
  if (error instanceof ConfigError || error instanceof LocalFileError) return 'end';
  if (error instanceof NetworkError || error instanceof TimeoutError) return 'again';
  if (!(error instanceof ApiError)) return 'failed';
  const { status } = error;
  if (status === 429) return 'refused';
  if (status === 401 || status === 402 || status === 403) return 'end';
  return status === 408 || status >= 500 ? 'again' : 'failed';
}

/** How often it was sent, and how long it took from the first time. */
export interface Effort {
  readonly attempts: number;
  readonly ms: number;
}

export function answerLine(request: BatchRequest, answer: BatchAnswer, effort: Effort): string {
  const { cached, costRub = null, fault, generationId } = answer;
  const own = { cost: { priceRub: costRub }, ids: { generationId }, ...effort, cached };
  return lineOf(request, responseText(answer), fault ? errorText(fault) : 'null', own);
}

function responseText(answer: BatchAnswer): string {
  const { body, requestId = null, status } = answer;
  const head = `"status_code":${status},"request_id":${JSON.stringify(requestId)}`;
  return `{${head},"body":${jsonWithoutSecrets(body)}}`;
}

export function failureLine(request: BatchRequest, error: SvcError, effort: Effort): string {
  let response = 'null';
  if (error instanceof ApiError) {
    const { fields: body, requestIds, status: status_code } = error;
    response = toJson({ status_code, request_id: requestIds.requestId ?? null, body });
  }
  const own = { cost: { priceRub: 0 }, ids: {}, ...effort };
  return lineOf(request, response, errorText(error), own);
}

/** The request again, as a line of an input, with its error and what came in place of an answer. */
export function errorLine(request: BatchRequest, error: SvcError, answer?: BatchAnswer): string {
  const response = answer ? `,"response":${responseText(answer)}` : '';
  return inputLine(request, `,"error":${errorText(error)}${response}`);
}

export function inputLine({ body, id, row }: BatchRequest, more = ''): string {
  const head = `{"custom_id":${JSON.stringify(id)},"method":"POST","url":"${row.path}"`;
  return `${head},"body":${body}${more}}\n`;
}

function errorText({ code = 'error', message }: SvcError): string {
  return JSON.stringify({ code, message });
}

function lineOf({ id }: BatchRequest, response: string, error: string, own: object): string {
  const name = JSON.stringify(id);
  const nameHash = hash('sha256', name).slice(0, 16);
  const svc = JSON.stringify(own);
  return `${lineStart(nameHash)}${name},"response":${response},"error":${error},"svc":${svc}}\n`;
}

/** Lines that wait to be written: as they come, or in the order of the input. */
export class PendingLines {
  /** What can be written now. */
  text = '';
  /** The first place that has not been settled. */
  #next = 0;
  readonly #later = new Map<number, string>();

  constructor(private readonly isOrdered: boolean) {}

  /** @param line empty where the place has none */
  put(nth: number, line: string): void {
    if (!this.isOrdered) {
      this.text += line;
      return;
    }
    this.#later.set(nth, line);
    for (;;) {
      const next = this.#later.get(this.#next);
      if (next === undefined) return;
      this.#later.delete(this.#next);
      this.text += next;
      this.#next += 1;
    }
  }

  /** Writes also what is behind places that this run does not settle. */
  flush(): void {
    const rest = [...this.#later].sort(([one], [other]) => one - other);
    for (const [, line] of rest) this.text += line;
    this.#later.clear();
  }

  /** Whether another place would be too far ahead of the first that is not settled. */
  isFull(nth: number): boolean {
    return this.isOrdered && nth - this.#next >= 512;
  }
}
