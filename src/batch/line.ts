/** Turns one line of a batch into a request, or says why it is none. */
import * as z from 'zod/mini';
import { chatBody, type ChatCall } from '../api/chat/question.js';
import { namedSchema } from '../api/chat/schema.js';
import { limited } from '../spending/asked.js';
import * as chat from '../contract/chat.js';
import type { Endpoint } from '../contract/endpoint.js';
import { explain } from '../contract/explain.js';
import { UsageError } from '../errors.js';
import { fieldText, isRecord, recordOf, textOf, toJson, valueText } from '../lib/json.js';
import { withAllDigits, withDigits, type JsonRecord } from '../lib/json.js';
import { guess } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { batchRows, type BatchRequest } from './request.js';

/** The options that turn a short line, a text or a row into a request. */
export interface LineTemplate {
  readonly model?: string;
  readonly system?: string;
  readonly prompt?: string;
  readonly schema?: string;
  readonly maxTokens?: number;
}

export interface InputLine {
  /** Of its last line in the input, from 1. */
  readonly number: number;
  /** A JSON object, the columns of a row or the `text` of a line; or why it cannot be read. */
  readonly fields: JsonRecord | string;
}

const rows = new Map(batchRows.map((row) => [row.path, row]));

const ShortLine = z.extend(chat.KeptConversation, { prompt: z.optional(z.string()) });
/** Fields of a short line that are not sent as they are. */
const ownFields = new Set(['custom_id', 'prompt', 'messages', 'system', 'error']);

/** Empty where it is not a text. */
export function idOf({ number, fields }: InputLine): string {
  const { custom_id: id = `line-${number}` } = recordOf(fields);
  return textOf(id) ?? '';
}

export const invalid = (message: string, hint?: string) =>
  new UsageError(message, { code: 'invalid_input', hint });

/** The start of a request as most programs write it, up to its body. */
const usualStart =
  /^\{"custom_id":"([^"\\\p{Cc}]+)","method":"POST","url":"([^"\\]+)","body":(?=\{)/u;

type RowAndBody = readonly [row: Endpoint, body: JsonRecord];

export class LineReader {
  private constructor(
    private readonly template: LineTemplate,
    private readonly prompt: PromptTemplate | undefined,
    private readonly schema: ChatCall['schema'],
  ) {}

  /** @throws UsageError for options that cannot be used */
  static async open(
    template: LineTemplate,
    prompt: PromptTemplate | undefined,
  ): Promise<LineReader> {
    const { schema } = template;
    const answer = schema === undefined ? undefined : await namedSchema(schema, false);
    return new LineReader(template, prompt, answer);
  }

  /**
   * A request in the usual form, without parsing it: its body is JSON only if its hash is known, and
   * it has no model. Undefined for any other line.
   */
  unparsed(text: string, number: number): BatchRequest | undefined {
    const { maxTokens, model } = this.template;
    if (model !== undefined || maxTokens !== undefined) return undefined;
    const [start = '', id = '', url = ''] = usualStart.exec(text) ?? [];
    const row = rows.get(url);
    if (!row || !text.endsWith('}')) return undefined;
    return { id, lineNumber: number, row, model: undefined, body: text.slice(start.length, -1) };
  }

  /** A request, or what is wrong; whether it fits the schema of its row only if `isChecked`. */
  read({ number, fields }: InputLine, isChecked: boolean): BatchRequest | string {
    const { prompt } = this;
    if (typeof fields === 'string') return fields;
    const id = idOf({ number, fields });
    if (id === '') return 'custom_id must be a text';
    const isWhole = isRecord(fields['body']) || (prompt === undefined && 'url' in fields);
    const values = isWhole || prompt === undefined ? fields : prompt.fill({ number, fields });
    if (typeof values === 'string') return values;
    const request = isWhole ? this.#wholeRequest(values) : this.#chatRequest(values);
    if (typeof request === 'string') return request;
    const [row, body] = request;
    if (isChecked) {
      if (body['stream'] === true) return 'stream must be false: an answer is one line';
      const faults = row.body?.safeParse(body).error;
      if (faults) return explain(faults, body);
    }
    return { id, lineNumber: number, row, model: textOf(body['model']), body: toJson(body) };
  }

  #chatRequest(fields: JsonRecord): RowAndBody | string {
    const { maxTokens, model, system } = this.template;
    const { data, error } = ShortLine.safeParse(fields);
    if (error) return explain(error, fields);
    const { messages = [], prompt: text = '' } = withAllDigits(data, fields);
    if (text.trim() === '' && messages.length === 0) return 'it has no prompt and no messages';
    if (model === undefined && !('model' in fields)) return 'it has no model; use --model';
    // What a line says itself overrides the options.
    const usual = messages.some(({ role }) => role === 'system') ? undefined : system;
    const body = chatBody({
      model: model ?? '',
      system: data.system ?? usual,
      messages,
      parts: text === '' ? [] : [{ type: 'text', text }],
      stream: false,
      maxTokens,
      schema: this.schema,
    });
    const rest = Object.entries(fields).filter(([name]) => !ownFields.has(name));
    const more = withDigits(Object.fromEntries(rest), fields);
    return [chat.createChatCompletion, rest.length === 0 ? body : { ...body, ...more }];
  }

  #wholeRequest({ body, method = 'POST', url }: JsonRecord): RowAndBody | string {
    const { maxTokens, model } = this.template;
    const row = rows.get(textOf(url) ?? '');
    const path = JSON.stringify(plainText(valueText(url ?? ''), 100));
    if (!row) return `a batch cannot send to ${path}${guess(path, [...rows.keys()])}`;
    if (method !== 'POST') return 'method must be POST';
    if (!isRecord(body)) return 'body must be an object';
    const lacksModel = /^(chat|embeddings)\./.test(row.id) && !('model' in body);
    const whole = lacksModel && model !== undefined ? { model, ...body } : body;
    return [row, maxTokens ? limited(row, whole, maxTokens) : whole];
  }
}

/** `{{word}}`, which stands for `{word}`, or a name in braces. JSON stays as it is. */
const slot = /\{(\{[^{}]*\})\}|\{([^{}\r\n"][^{}\r\n]*)\}/gu;
/** What is surely meant as a name: code and lists look otherwise. */
const namelike = /^[\p{L}_][^",:;=<>[\]\\|]*$/u;
const sameForAll = '--prompt has no field such as {text}, so all requests would be the same';

/** The prompt of all lines, in which `{name}` stands for a column or field. */
export class PromptTemplate {
  /** What cannot be meant as text. */
  readonly #fields: readonly string[];
  /** The names that a line had. */
  readonly #used = new Set<string>();
  /** What may be meant as text, with the first line that has no such field. */
  readonly #unused = new Map<string, number>();

  /** @throws UsageError where it names nothing */
  constructor(private readonly prompt: string) {
    const names = Array.from(prompt.matchAll(slot)).flatMap(([, , name]) => name ?? []);
    this.#fields = names.filter((name) => namelike.test(name));
    if (names.length === 0) throw invalid(sameForAll);
  }

  /** The first field that the line or table does not have. */
  missing(has: (name: string) => boolean): string | undefined {
    return this.#fields.find((name) => !has(name));
  }

  /** @returns the prompt of one line, or what is wrong with the line */
  fill({ number, fields }: InputLine): string | { readonly prompt: string } {
    const values = recordOf(fields);
    const missing = this.missing((name) => Object.hasOwn(values, name));
    if (missing !== undefined) return `it has no field ${JSON.stringify(missing)}`;
    const valueOf = (written: string, literal: string | undefined, name: string) => {
      if (literal !== undefined) return literal;
      if (!Object.hasOwn(values, name)) {
        if (!this.#unused.has(name)) this.#unused.set(name, number);
        return written;
      }
      this.#used.add(name);
      return values[name] === null ? '' : fieldText(values, name);
    };
    return { prompt: this.prompt.replace(slot, valueOf) };
  }

  /**
   * After all lines: what to warn of. @throws UsageError where only some lines have a field, or none
   * has any, so that all requests would be the same
   */
  check(): string | undefined {
    const missing = [...this.#unused].find(([name]) => this.#used.has(name));
    if (missing) throw invalid(`line ${missing[1]} has no field ${JSON.stringify(missing[0])}`);
    const [unused] = this.#unused.keys();
    if (unused === undefined) return undefined;
    if (this.#used.size === 0) throw invalid(sameForAll);
    const text = plainText(unused, 60);
    return `{${text}} is sent as text, since no column or field has that name; {{${text}}} means text`;
  }
}
