/** Turns one line of a batch into a request, or says why it is none. */
import * as z from 'zod/mini';
import { chatBody } from '../api/chat/question.js';
import { namedSchema } from '../api/chat/schema.js';
import * as chat from '../contract/chat.js';
import { explain } from '../contract/explain.js';
import { UsageError } from '../errors.js';
import { isRecord, recordOf, textOf, valueText, type JsonRecord } from '../lib/json.js';
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

export interface Line {
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
export function idOf({ number, fields }: Line): string {
  const { custom_id: id = `line-${number}` } = recordOf(fields);
  return textOf(id) ?? '';
}

export const invalid = (message: string) => new UsageError(message, { code: 'invalid_input' });

/** @throws UsageError for options that cannot be used */
export async function lineReader(template: LineTemplate) {
  const { maxTokens, model, prompt, schema: source } = template;
  if (prompt !== undefined && slotNames(prompt).length === 0) {
    throw invalid('--prompt has no field such as {text}, so all requests would be the same');
  }
  const schema = source === undefined ? undefined : await namedSchema(source, false);

  const shortBody = (fields: JsonRecord): JsonRecord | string => {
    const { data, error } = ShortLine.safeParse(fields);
    if (error) return explain(error, fields);
    const { messages = [], prompt: text = '' } = data;
    if (text.trim() === '' && messages.length === 0) return 'it has no prompt and no messages';
    if (model === undefined && !('model' in fields)) return 'it has no model; use --model';
    // What a line says itself overrides the options.
    const usual = messages.some(({ role }) => role === 'system') ? undefined : template.system;
    const body = chatBody({
      model: model ?? '',
      system: data.system ?? usual,
      messages,
      parts: text === '' ? [] : [{ type: 'text', text }],
      stream: false,
      maxTokens,
      schema,
    });
    const rest = Object.entries(fields).filter(([name]) => !ownFields.has(name));
    return rest.length === 0 ? body : { ...body, ...Object.fromEntries(rest) };
  };

  const wholeBody = ({ body, method = 'POST', url }: JsonRecord) => {
    const row = rows.get(textOf(url) ?? '');
    const path = JSON.stringify(plainText(valueText(url ?? ''), 100));
    if (!row) return `a batch cannot send to ${path}${guess(path, [...rows.keys()])}`;
    if (method !== 'POST') return 'method must be POST';
    if (!isRecord(body)) return 'body must be an object';
    const lacksModel = /^(chat|embeddings)\./.test(row.id) && !('model' in body);
    return [row, lacksModel && model !== undefined ? { model, ...body } : body] as const;
  };

  /** A request, or what is wrong; whether it fits the schema of its row only if `isChecked`. */
  return ({ number, fields }: Line, isChecked: boolean): BatchRequest | string => {
    if (typeof fields === 'string') return fields;
    const id = idOf({ number, fields });
    if (id === '') return 'custom_id must be a text';
    const isWhole = isRecord(fields['body']) || (prompt === undefined && 'url' in fields);
    const asked = isWhole || prompt === undefined ? fields : filled(prompt, fields);
    if (typeof asked === 'string') return asked;
    const made = isWhole
      ? wholeBody(asked)
      : ([chat.createChatCompletion, shortBody(asked)] as const);
    if (typeof made === 'string') return made;
    const [row, body] = made;
    if (typeof body === 'string') return body;
    if (isChecked) {
      if (body['stream'] === true) return 'stream must be false: an answer is one line';
      const faults = row.body?.safeParse(body).error;
      if (faults) return explain(faults, body);
    }
    const text = JSON.stringify(body);
    return { id, lineNumber: number, row, model: textOf(body['model']), body: text };
  };
}

/** `{{word}}`, which stands for `{word}`, or the field `{word}`. Braces around other text stay. */
const slot = /\{(\{[^{}]*\})\}|\{([\p{L}_][\p{L}\p{N} _.-]*)\}/gu;

export function slotNames(prompt: string): string[] {
  return [...new Set(Array.from(prompt.matchAll(slot)).flatMap(([, , name]) => name ?? []))];
}

function filled(prompt: string, fields: JsonRecord): JsonRecord | string {
  const missing = slotNames(prompt).find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return `it has no field ${JSON.stringify(missing)}`;
  const valueOf = (_: string, literal: string | undefined, name: string) =>
    literal ?? valueText(fields[name] ?? '');
  return { prompt: prompt.replace(slot, valueOf) };
}
