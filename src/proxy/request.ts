/** What is sent to the service for a request of a program. */
import type { Client, Spending } from '../api/client.js';
import type { RawRequest } from '../api/prepare.js';
import type { Endpoint } from '../contract/endpoint.js';
import { piecesOf, type Form, type StreamedBody } from '../http/types.js';
import { isRecord, parsedJson, textOf, type JsonRecord } from '../lib/json.js';
import { maxDepth, weigh } from '../lib/json-weight.js';
import type { ServiceRequest } from '../service/body.js';
import { badRequest } from '../service/failure.js';
import { formParts } from '../service/multipart.js';
import type { HeldBody } from './body.js';
import type { ModelRule } from './proxied.js';

/** All others, and keys above all, stay here. */
const passedHeaders = ['idempotency-key', 'anthropic-beta', 'anthropic-version', 'openai-beta'];

/** @param path at the service, with its query */
export function rawRequest(
  { method, headers }: Pick<ServiceRequest, 'method' | 'headers'>,
  row: Endpoint,
  path: string,
  { brand, key }: Client,
): Omit<RawRequest, 'payload'> {
  const named = Object.keys(row.headers ?? {}).map((name) => brand.path(name));
  const passed = [...passedHeaders, ...named].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name.toLowerCase(), value] as const];
  });
  return {
    method,
    path,
    isKeyed: (row.auth === 'bearer' || row.auth === 'key') && key !== undefined,
    accept: headers.get('accept') ?? '*/*',
    headers: Object.fromEntries(passed),
    // An answer that does not stream is made whole before its first byte comes.
    slow: row.slow ?? row.stream !== undefined,
  };
}

/** The JSON of a body. @throws ServiceFailure where it was made to break its reader */
export function jsonIn(text: string): JsonRecord | undefined {
  const { depth, values } = weigh(Buffer.from(text));
  if (depth > maxDepth || values > maxValues) {
    throw badRequest('the request holds more JSON values than svc reads');
  }
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
}

/**
 * Whether a record in a body has two fields of one name: svc takes the last one, and the service
 * perhaps the other, at another price. @param value the JSON of the body
 */
export function hasNamesTwice(text: string, value: unknown): boolean {
  const { values } = weigh(Buffer.from(text));
  return weigh(Buffer.from(JSON.stringify(value))).values < values;
}

/** Of a long conversation in tokens, perhaps; each takes some fifty bytes. */
const maxValues = 1_000_000;

/** The model that a body names, for a list of what was sent; most programs name it first. */
export function modelIn(text: string): string | undefined {
  const [, first] = /^\s*\{\s*"model"\s*:\s*"([^"\\]{1,500})"/.exec(text) ?? [];
  // A copy: a part of a text keeps all of it.
  return first === undefined ? nameIn(jsonIn(text)) : Buffer.from(first).toString();
}

/** No model has a longer name. */
export function nameIn(body: JsonRecord | undefined): string | undefined {
  const name = textOf(body?.['model']);
  return name !== undefined && name.length <= 500 ? name : undefined;
}

/** The body with the model of the first rule that fits; unchanged where none does. */
export function mapped(body: JsonRecord, rules: readonly ModelRule[]): JsonRecord {
  const name = nameIn(body);
  const rule = rules.find(({ pattern }) => name !== undefined && fits(name, pattern));
  return rule ? { ...body, model: rule.model } : body;
}

function fits(name: string, pattern: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 's').test(name);
}

/** A form as it is, of which its price can be asked for. @throws ServiceFailure */
export async function formPayload(body: HeldBody, contentType: string): Promise<StreamedBody> {
  const { length } = body.payload;
  const open = () => piecesOf(body.payload);
  const headers = { get: (name: string) => (name === 'content-type' ? contentType : null) };
  const parts = () => formParts({ headers, body: open() }, length);
  const fields: [string, string][] = [];
  const files: Form['files'][number][] = [];
  for await (const { name, fileName, bytes } of parts()) {
    let partLength = 0;
    const text: Uint8Array[] = [];
    for await (const piece of bytes) {
      partLength += piece.length;
      if (fileName === undefined && partLength <= maxFieldBytes) text.push(piece);
    }
    if (fileName === undefined) fields.push([name, Buffer.concat(text).toString('utf8')]);
    else {
      const content = { length: partLength, open: () => fileIn(parts(), name) };
      files.push({ field: name, filename: fileName, type: '', content });
    }
  }
  return { length, open, form: { fields, files } };
}

/** Longer fields are texts, which say nothing of a price. */
const maxFieldBytes = 64 * 1024;

async function* fileIn(parts: ReturnType<typeof formParts>, field: string) {
  for await (const { name, fileName, bytes } of parts) {
    if (name !== field || fileName === undefined) continue;
    yield* bytes;
    return;
  }
}

/** The same purse, which asks for one price at a time: a recording is in memory while it is asked. */
export function inTurn(spending: Spending): Spending {
  let last: Promise<unknown> = Promise.resolve();
  return {
    reserve: (...args) => {
      const next = last.then(() => spending.reserve(...args));
      last = next.catch(() => undefined);
      return next;
    },
    agree: (model, rub) => spending.agree(model, rub),
    expectMore: (isMore) => spending.expectMore(isMore),
    fit: (body) => spending.fit(body),
    spendableRub: () => spending.spendableRub(),
    settle: (id, priceRub) => spending.settle(id, priceRub),
  };
}
