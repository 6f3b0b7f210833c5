import { expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { brandFrom, defaultBrand } from '../../src/contract/brand.js';
import { statusesOf } from '../../src/contract/describe.js';
import { UsageHistory } from '../../src/contract/billing.js';
import type { Endpoint } from '../../src/contract/endpoint.js';
import { endpoints } from '../../src/contract/index.js';
import { makeRouter } from '../../src/contract/route.js';
import type { Sql } from '../../src/lib/sql.js';
import { createService, type Service, type ServiceOptions } from '../../src/service/service.js';
import { openStore } from '../../src/service/store/store.js';
import { formRequest } from '../helpers/form-request.js';
import { SkippingClock } from '../helpers/manual-clock.js';

/** A clock that only moves when someone sleeps on it, or sets it. */
export class FakeClock extends SkippingClock {
  constructor(now = Date.UTC(2026, 0, 15, 12)) {
    super({ now });
  }

  set(ms: number): void {
    this.pass(ms - this.now());
  }
}

export const keys = {
  local: 'sk-svc-local',
  empty: 'sk-svc-local-empty',
  blocked: 'sk-svc-local-blocked',
  limited: 'sk-svc-local-limited',
  sandbox: 'sk-svc-local-sandbox',
} as const;

/** A store with nothing but the seeded keys, closed when the test ends. */
export function openTestStore(path = ':memory:'): Sql {
  const sql = openStore({ path, brand: brandFrom(defaultBrand), openingMicroRub: 1e6, nowMs: 0 });
  onTestFinished(() => sql.close());
  return sql;
}

/** A service in memory, closed when the test ends. */
export function openService(options: Partial<ServiceOptions> = {}): Service {
  const service = createService({ storePath: ':memory:', clock: new FakeClock(), ...options });
  onTestFinished(() => service.close());
  return heldToRows(service, options);
}

/**
 * The service, whatever it answers held against its rows: they must say that it may, except for
 * what a script makes up.
 */
export function heldToRows<Held extends Service>(
  service: Held,
  { brand = defaultBrand, scriptPath }: Partial<ServiceOptions>,
): Held {
  if (scriptPath !== undefined) return service;
  const route = makeRouter<Endpoint>(endpoints, brandFrom(brand));
  const fetch: Service['fetch'] = async (request) => {
    const { match } = route(request.method, new URL(request.url).pathname);
    const response = await service.fetch(request);
    if (match) {
      expect(statusesOf(match.row), `what ${match.row.id} may answer`).toContain(response.status);
    }
    return response;
  };
  return { ...service, fetch };
}

export const origin = 'http://any.example';

export interface Asked {
  readonly method?: string;
  /** Forms, texts and bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
  /** That of the funded account unless told otherwise; null is none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A service, or what holds one. */
export type Target = Pick<Service, 'fetch'> | { readonly service: Pick<Service, 'fetch'> };

/** Sends a request, to a path or a URL. */
export async function ask(
  target: Target,
  path: string,
  { body, key = keys.local, signal, ...asked }: Asked = {},
): Promise<Response> {
  const service = 'service' in target ? target.service : target;
  const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...asked.headers };
  const url = URL.canParse(path) ? path : origin + path;
  if (body instanceof FormData) return service.fetch(await formRequest(url, body, headers));
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const sent = body === undefined ? null : isRaw ? body : JSON.stringify(body);
  const { method = sent === null ? 'GET' : 'POST' } = asked;
  return service.fetch(new Request(url, { method, headers, body: sent, signal: signal ?? null }));
}

/** Sends a GET with a key. */
export function get(target: Target, path: string, key?: string | null): Promise<Response> {
  return ask(target, path, { key });
}

/** Posts JSON with a key. */
export function post(target: Target, path: string, body: unknown, key?: string): Promise<Response> {
  return ask(target, path, { body, key });
}

/** The reply of an answer that must have this status. */
export async function read<Schema extends z.ZodMiniType>(
  answer: Response | Promise<Response>,
  schema: Schema,
  status = 200,
): Promise<z.output<Schema>> {
  const response = await answer;
  const text = await response.text();
  expect(response.status, text).toBe(status);
  return schema.parse(JSON.parse(text));
}

const Balance = z.object({ balance_rub: z.number() });

export async function balanceOf(target: Target, key?: string): Promise<number> {
  return (await read(get(target, '/v1/balance', key), Balance)).balance_rub;
}

/** The latest hundred usage records of an account. */
export async function historyOf(target: Target, key?: string) {
  return (await read(get(target, '/v1/generations?limit=100', key), UsageHistory)).data;
}

/** A request for a chat answer, of local/echo unless told otherwise. */
export function chatBody(content: unknown, more: object = {}): object {
  return { model: 'local/echo', messages: [{ role: 'user', content }], ...more };
}

const Chat = z.looseObject({
  choices: z.tuple([
    z.looseObject({ message: z.looseObject({ content: z.nullable(z.string()) }) }),
  ]),
});

/** The text of a chat answer. */
export async function chatText(response: Response): Promise<string | null> {
  return Chat.parse(await response.json()).choices[0].message.content;
}

/** A form of fields and files. */
export function formOf(
  fields: Readonly<Record<string, string | Blob | readonly string[] | undefined>>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) form.append(name, one);
    }
  }
  return form;
}

/** A body of the pieces that `next` gives, asked for one by one, until there is none. */
export function streamOf(
  next: (nth: number) => Uint8Array | string | undefined,
  cancel?: () => void,
): ReadableStream<Uint8Array> {
  let nth = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = next((nth += 1));
    if (piece === undefined) controller.close();
    else controller.enqueue(Buffer.from(piece));
  };
  return new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
}

/** A POST of a body that may arrive piece by piece. */
export function posting(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  headers: Readonly<Record<string, string>> = {},
  path = '/',
): Request {
  return new Request(origin + path, { method: 'POST', body, headers, duplex: 'half' });
}

export interface SseEvent {
  event: string | undefined;
  data: string;
}

/** Splits an event stream strictly: anything but `event:` and `data:` lines is a fault. */
export function splitEvents(text: string): SseEvent[] {
  if (!text.endsWith('\n\n'))
    throw new Error(`the stream ends within an event: ${text.slice(-80)}`);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const lines = block.split('\n');
      const data = lines.filter((line) => line.startsWith('data: '));
      const event = lines.find((line) => line.startsWith('event: '));
      if (data.length !== 1 || lines.length !== (event ? 2 : 1))
        throw new Error(`odd event ${block}`);
      return { event: event?.slice('event: '.length), data: data.join('').slice('data: '.length) };
    });
}

/** The events of a stream in which each is named, and named alike in its data. */
export async function namedEvents(service: Service, path: string, body: object) {
  const response = await post(service, path, { ...body, stream: true });
  expect(response.status).toBe(200);
  return splitEvents(await response.text()).map(({ event, data }) => {
    const parsed = z.looseObject({ type: z.string() }).parse(JSON.parse(data));
    expect(event).toBe(parsed.type);
    return parsed;
  });
}
