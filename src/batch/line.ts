/** Turns one line of a batch into a request, or says why it is none. */
import { chatBody, messagesBody, responsesBody } from '../api/chat/question.js';
import { namedSchema } from '../api/chat/schema.js';
import * as chat from '../contract/chat.js';
import type { ChatFormat } from '../contract/enums.js';
import type { Endpoint } from '../contract/endpoint.js';
import { explain } from '../contract/explain.js';
import { UsageError } from '../errors.js';
import { isRecord, numberOf, textOf, valueText, type JsonRecord } from '../lib/json.js';
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
  /** Of these requests; chat completions when absent. */
  readonly format?: ChatFormat;
}

export interface Line {
  /** Of its first line in the input, from 1. */
  readonly number: number;
  /** A JSON object, the columns of a row, or the `text` of a line; or why they cannot be read. */
  readonly fields: JsonRecord | string;
}

/** A request; or a fault in words, among them what the schema of its row says if `isChecked`. */
export type ReadLine = (line: Line, isChecked: boolean) => BatchRequest | string;

const formats = {
  chat: [chat.createChatCompletion, chatBody],
  messages: [chat.createMessage, messagesBody],
  responses: [chat.createResponse, responsesBody],
} as const;

const rows = new Map(batchRows.map((row) => [row.path, row]));

/** @throws UsageError for options that cannot be used */
export async function lineReader(template: LineTemplate): Promise<ReadLine> {
  const { prompt, format = 'chat' } = template;
  if (prompt !== undefined && slotNames(prompt).length === 0) {
    const words = '--prompt names no field such as {text}, so all requests would be the same';
    throw new UsageError(words, { code: 'usage' });
  }
  if (template.schema !== undefined && format === 'messages') {
    throw new UsageError('--format messages does not support --schema', { code: 'usage' });
  }
  const schema =
    template.schema === undefined ? undefined : await namedSchema(template.schema, false);
  const [chatRow, bodyOf] = formats[format];

  /** A conversation, or a prompt, in few words. */
  const shortBody = (fields: JsonRecord): JsonRecord | string => {
    const { custom_id: _id, prompt: asked, messages: _, system: _system, ...others } = fields;
    const { model = template.model, max_tokens: maxTokens, ...rest } = others;
    const kept = chat.KeptConversation.safeParse(fields);
    if (!kept.success) return explain(kept.error, fields);
    const { messages = [], system } = kept.data;
    if (asked === undefined && messages.length === 0) return 'it has neither prompt nor messages';
    if (asked !== undefined && typeof asked !== 'string') return 'prompt must be a string';
    if (asked?.trim() === '') return 'its prompt is empty';
    if (typeof model !== 'string') return 'it names no model, and there is no --model';
    if (maxTokens !== undefined && numberOf(maxTokens) === undefined) {
      return 'max_tokens must be a number';
    }
    const hasSystem = messages.some(({ role }) => role === 'system');
    const question = {
      model,
      system: system ?? (hasSystem ? undefined : template.system),
      messages,
      parts: asked === undefined ? [] : [{ type: 'text' as const, text: asked }],
      stream: false,
      maxTokens: numberOf(maxTokens) ?? template.maxTokens,
      schema,
    };
    return { ...bodyOf(question), ...rest };
  };

  return ({ number, fields }, isChecked) => {
    if (typeof fields === 'string') return fields;
    const { custom_id: id = `line-${number}`, method = 'POST', url } = fields;
    if (typeof id !== 'string' || id === '') return 'custom_id must be a text';
    const isWhole = isRecord(fields['body']) || (prompt === undefined && url !== undefined);
    let row: Endpoint | undefined = chatRow;
    let body: unknown;
    if (isWhole) {
      if (method !== 'POST') return 'method must be POST';
      if (typeof url !== 'string') return 'url is missing';
      row = rows.get(url);
      if (!row) {
        const words = `a batch cannot send ${JSON.stringify(plainText(url, 100))}`;
        return `${words}${guess(url, [...rows.keys()])}`;
      }
      body = withModel(row, fields['body'], template.model);
    } else {
      const filled = prompt === undefined ? fields : filledPrompt(prompt, fields);
      body = typeof filled === 'string' ? filled : shortBody(filled);
      if (typeof body === 'string') return body;
    }
    if (!isRecord(body)) return 'body must be an object';
    if (isChecked) {
      if (body['stream'] === true) return 'stream must be false: an answer is one line';
      const checked = row.body?.safeParse(body);
      if (checked?.error) return explain(checked.error, body);
    }
    const model = textOf(body['model']);
    return { id, lineNumber: number, row, model, body: JSON.stringify(body) };
  };
}

function withModel(row: Endpoint, body: unknown, model: string | undefined): unknown {
  const lacksModel = /^(chat|embeddings)\./.test(row.id) && isRecord(body) && !('model' in body);
  return lacksModel && model !== undefined ? { model, ...body } : body;
}

/** `{{word}}`, which stands for `{word}`, or the field `{word}`. Braces around other text stay. */
const slot = /\{(\{[^{}]*\})\}|\{([\p{L}_][\p{L}\p{N} _.-]*)\}/gu;

export function slotNames(prompt: string): string[] {
  return [...new Set(Array.from(prompt.matchAll(slot)).flatMap(([, , name]) => name ?? []))];
}

function filledPrompt(prompt: string, fields: JsonRecord): JsonRecord | string {
  let missing: string | undefined;
  const text = prompt.replace(slot, (_, literal: string | undefined, name: string) => {
    if (literal !== undefined) return literal;
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || value === null) missing ??= name;
    return valueText(value ?? '');
  });
  return missing === undefined ? { prompt: text } : `it has no field ${JSON.stringify(missing)}`;
}
