/** What a handler receives, a routed and authenticated request, and what it returns. */
import type * as z from 'zod/mini';
import type { Brand } from '../contract/brand.js';
import type { Clock } from '../lib/clock.js';
import { toJson } from '../lib/json.js';
import type { Sql } from '../lib/sql.js';
import { parse, readJson, type ServiceRequest } from './body.js';
import type { Engines } from './engines/engine.js';
import { ServiceFailure } from './failure.js';
import type { RandomId } from './ids.js';
import type { Folder } from './folder.js';
import type { MediaModel } from './media/engines/model.js';
import type { Corpus } from './search/corpus.js';
import type { Caller } from './store/accounts.js';

export interface Settings {
  /** The duration of a job; each model's own by default. */
  readonly jobTimeMs?: number;
  /** How long a synchronous image may take before the answer is 504. */
  readonly imageDeadlineMs: number;
  readonly quoteTtlMs: number;
  /** The delay before a ticket is answered. */
  readonly ticketReplyMs: number;
  /** Whether notifications may go to this machine, also by http. */
  readonly loopbackWebhooks: boolean;
  /** Whether recordings of voices may be downloaded. */
  readonly allowFetch: boolean;
}

/** What handlers need of the service. */
export interface App {
  readonly store: Sql;
  /** Where uploads, results and attachments are. */
  readonly folder: Folder;
  readonly clock: Clock;
  readonly brand: Brand;
  readonly settings: Settings;
  readonly engines: Engines;
  readonly corpus: Corpus;
  readonly newId: RandomId;
  /** The media models, loaded at the first call. */
  mediaModels(): Promise<readonly MediaModel[]>;
}

/** An answer. A Response would cost ten times as much, and loading it 40 ms of a start. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array> | null;
  /** The owner of the request's key, and what it was charged. */
  readonly caller?: Caller;
  readonly chargedRub?: number;
}

export function webResponse({ body, headers, status }: Reply): Response {
  const stream = body === null || typeof body === 'string' ? body : ReadableStream.from(body);
  return new Response(stream, { status, headers });
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

/** What the service knows of a request before its handler runs. */
interface Admission {
  /** The values of the path's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** The owner of the key; only rows that require a key have one. */
  readonly caller: Caller | undefined;
  readonly maxBodyBytes: number | undefined;
  readonly requestId: string;
}

/** One request and its context; reading a part that does not match the row throws ServiceFailure. */
export class Call {
  chargedRub = 0;
  /** The record of what was paid, now or by an earlier call with the same key. */
  usageId: string | undefined;

  constructor(
    readonly app: App,
    readonly request: ServiceRequest,
    readonly url: URL,
    private readonly admission: Admission,
  ) {}

  get caller(): Caller {
    const { caller } = this.admission;
    if (!caller) throw new ServiceFailure(401, 'invalid_api_key', 'this call needs a key');
    return caller;
  }

  get requestId(): string {
    return this.admission.requestId;
  }

  async body<Schema extends z.ZodMiniType>(schema: Schema): Promise<z.output<Schema>> {
    return parse(schema, await this.json());
  }

  json(): Promise<unknown> {
    return readJson(this.request, this.admission.maxBodyBytes);
  }

  /** The query, validated by the row's schema; the last value of a repeated name counts. */
  query<Schema extends z.ZodMiniType>(schema: Schema): z.output<Schema> {
    return parse(schema, Object.fromEntries(this.url.searchParams));
  }

  param(name: string): string {
    return this.admission.params[name] ?? '';
  }
}

/** A body that is produced as fast as it is read; `leave` is called when the reader stops early. */
export function streamOf(
  pieces: AsyncGenerator<Uint8Array, void>,
  leave: () => void | Promise<void>,
): AsyncIterable<Uint8Array> {
  const end = async () => {
    await leave();
    return pieces.return();
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => pieces.next(), return: end }) };
}

export function dateOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** A JSON reply. It states its length, so that a truncated one is detected. */
export function json(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = toJson(value);
  const type = 'application/json; charset=utf-8';
  const length = String(Buffer.byteLength(body));
  return { status, headers: { 'content-type': type, 'content-length': length, ...headers }, body };
}
