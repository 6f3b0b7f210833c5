/** svc against the embedded service, behind a front that a test can bend. */
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { brandFrom, defaultBrand } from '../../src/contract/brand.js';
import { endpoints, type EndpointId } from '../../src/contract/index.js';
import { makeRouter } from '../../src/contract/route.js';
import { recordOf, type JsonRecord } from '../../src/lib/json.js';
import type { Reply } from '../../src/service/call.js';
import { createService, type Service, type ServiceOptions } from '../../src/service/service.js';
import { listening } from '../http/rig.js';
import type { Seen } from './fake-service.js';
import { testFolder } from './folder.js';
import { PollingClock } from './manual-clock.js';
import { run, words, type RunOptions, type RunResult } from './run.js';

/** The key of the account that the front's requests are made with. */
export const frontKey = 'sk-svc-local';

/** What stands in for an answer of the service, or changes one. */
export interface Answer {
  readonly status?: number;
  readonly json?: unknown;
  /** A body of other bytes; of pieces, its length is not told. */
  readonly bytes?: Buffer | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What happens to the requests that a rule is about; only what it names is changed. */
export interface Rule {
  /** Runs when the request has arrived, before anything else is done with it. */
  readonly first?: (seen: Seen, count: number) => unknown;
  /** Replies in the service's place, which does nothing; undefined leaves it to other rules. */
  readonly answer?: Answer | ((seen: Seen, count: number) => Answer | undefined);
  /** Breaks the connection: before the service gets the request, or once it has done its work. */
  readonly drop?: 'request' | 'answer';
  /** Changes the JSON that the service answers with. */
  readonly edit?: (body: JsonRecord) => unknown;
  /** Breaks the connection after so many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** Holds the answer back for so long, by the clock of the front. */
  readonly delayMs?: number;
  /** For how many requests it holds; for all when absent. */
  readonly times?: number;
  /** The only request for which it holds, counted from 1. */
  readonly nth?: number;
}

/** A request that never gets an answer. */
export const silence: Rule = { answer: {}, delayMs: Infinity };

/** The requests of an endpoint by its id, or those whose method and URL match. */
export type Matcher = EndpointId | RegExp;

type StandIn = Answer | undefined;

export interface FrontOptions extends Partial<ServiceOptions> {
  /** The words that each line begins with. */
  readonly before?: readonly string[];
  /** How svc is run unless told otherwise. */
  readonly usual?: RunOptions;
  /** Answers in the service's place what the service does not know; `posts` counts the POSTs. */
  readonly standIn?: (seen: Seen, posts: number) => StandIn | Promise<StandIn>;
}

export interface Front {
  readonly origin: string;
  /** What makes svc talk to it. */
  readonly env: { readonly SVC_BASE_URL: string; readonly SVC_API_KEY: string };
  /** The clock of the service, and of svc. */
  readonly clock: PollingClock;
  /** Settings and data of every run, and files for it. */
  readonly home: string;
  /** Every request that svc sent, in order. */
  readonly requests: readonly (Seen & { readonly bytes: Buffer })[];
  /** Adds a rule; of several that match, the one that was added last holds. */
  readonly on: (what: Matcher, rule: Rule) => void;
  /** Removes all rules. */
  readonly straighten: () => void;
  readonly svc: (line: string | readonly string[], options?: RunOptions) => Promise<RunResult>;
  /** Asks the service itself for something, past all rules; the JSON that it answers with. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<JsonRecord>;
  /** Writes a file into the home; its path. */
  readonly file: (name: string, content: Buffer | string) => string;
  /** Methods and URLs, in order. */
  readonly calls: () => string[];
  /** The JSON of the POSTs that have one. */
  readonly posted: () => JsonRecord[];
}

interface Standing {
  readonly what: Matcher;
  readonly rule: Rule;
  count: number;
}

/** Listens on this machine until the running test ends. */
export async function front(options: FrontOptions = {}): Promise<Front> {
  const { before = [], usual = {}, standIn, ...serviceOptions } = options;
  const clock = new PollingClock({ now: Date.UTC(2026, 10, 21, 18, 43) });
  let service: Service | undefined;
  onTestFinished(() => service?.close());
  const home = testFolder();
  const requests: (Seen & { bytes: Buffer })[] = [];
  let standing: Standing[] = [];

  /** The rule for a request, and what it answers. */
  const choose = async (seen: Seen): Promise<{ rule: Rule; own?: Answer }> => {
    for (const one of standing.filter(({ what }) => isAbout(what, seen))) {
      const { rule } = one;
      const count = (one.count += 1);
      if (count > (rule.times ?? Infinity) || count !== (rule.nth ?? count)) continue;
      await rule.first?.(seen, count);
      const own = typeof rule.answer === 'function' ? rule.answer(seen, count) : rule.answer;
      if (own || typeof rule.answer !== 'function') return { rule, own };
    }
    return { rule: {} };
  };
  const send = async (seen: Seen, bytes: Buffer, response: ServerResponse) => {
    const posts = requests.filter(({ method }) => method === 'POST').length;
    const { rule, own } = await choose(seen);
    if (!own && rule.drop === 'request') {
      response.destroy();
      return;
    }
    const other = own ?? (await standIn?.(seen, posts));
    const reply = other ? replyOf(other) : await pass(seen, bytes);
    if (rule.delayMs !== undefined) await clock.sleep(rule.delayMs);
    if (rule.drop === 'answer') response.destroy();
    else await respond(response, rule.edit ? await edited(reply, rule.edit) : reply, rule);
  };
  const pass = ({ method, url, headers }: Seen, bytes: Buffer) => {
    service ??= createService({ storePath: ':memory:', clock, ...serviceOptions });
    return service.answer({
      method,
      url: origin + url,
      headers: { get: (name) => textHeader(headers[name.toLowerCase()]) },
      body: bytes.length === 0 ? null : piecesOf(bytes),
      signal: new AbortController().signal,
    });
  };

  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const bytes = Buffer.concat(pieces);
      const seen = { method, url, headers, body: bytes.toString('utf8'), bytes };
      requests.push(seen);
      send(seen, bytes, response).catch(() => response.destroy());
    });
  });
  const { origin } = (await listening(server)).url;
  const env = { SVC_BASE_URL: origin, SVC_API_KEY: frontKey };
  return {
    origin,
    env,
    clock,
    home,
    requests,
    on: (what, rule) => void standing.unshift({ what, rule, count: 0 }),
    straighten: () => void (standing = []),
    svc: (line, own = {}) =>
      run([...before, ...(typeof line === 'string' ? words(line) : line)], {
        home,
        clock,
        ...usual,
        ...own,
        env: { ...env, ...usual.env, ...own.env },
      }),
    ask: async (method, path, body) => {
      const headers = { authorization: `Bearer ${frontKey}`, 'content-type': 'application/json' };
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const reply = await pass({ method, url: path, headers, body: '' }, bytes);
      const text = await textOf(reply);
      if (reply.status >= 400) throw new Error(`${method} ${path}: ${text}`);
      return recordOf(JSON.parse(text));
    },
    file: (name, content) => {
      const path = join(home, name);
      writeFileSync(path, content);
      return path;
    },
    calls: () => requests.map(({ method, url }) => `${method} ${url}`),
    posted: () =>
      requests
        .filter(({ method, body }) => method === 'POST' && body.startsWith('{'))
        .map(({ body }) => recordOf(JSON.parse(body))),
  };
}

const route = makeRouter(endpoints, brandFrom(defaultBrand));

function isAbout(what: Matcher, { method, url }: Seen): boolean {
  if (what instanceof RegExp) return what.test(`${method} ${url}`);
  return route(method, url.split('?')[0] ?? '').match?.row.id === what;
}

function replyOf({ status = 200, json, bytes, headers = {} }: Answer): Reply {
  const all: Record<string, string> = {};
  if (json !== undefined) all['content-type'] = 'application/json';
  const whole = bytes ?? Buffer.from(json === undefined ? '' : JSON.stringify(json));
  const isWhole = Buffer.isBuffer(whole);
  if (isWhole) all['content-length'] = String(whole.length);
  return { status, headers: { ...all, ...headers }, body: isWhole ? piecesOf(whole) : whole };
}

async function edited(reply: Reply, edit: NonNullable<Rule['edit']>): Promise<Reply> {
  const json = edit(recordOf(JSON.parse(await textOf(reply))));
  const kept = Object.entries(reply.headers).filter(([name]) => name !== 'content-length');
  return replyOf({ status: reply.status, json, headers: Object.fromEntries(kept) });
}

async function respond(response: ServerResponse, reply: Reply, rule: Rule): Promise<void> {
  let left = rule.cutAfterBytes ?? Infinity;
  const closed = new Promise((resolve) => response.once('close', () => resolve(true)));
  response.writeHead(reply.status, reply.headers);
  for await (const piece of bodyOf(reply)) {
    const part = piece.subarray(0, left);
    left -= part.length;
    // Where nobody reads any more, newer versions of Node say so here alone, and at once: an
    // endless body would leave no turn in which the response could be seen to close.
    const written = new Promise((resolve) => response.write(part, resolve));
    const failure = await Promise.race([written, closed]);
    if (left === 0 || failure || response.destroyed) break;
  }
  if (left === 0) response.destroy();
  else response.end();
}

async function textOf(reply: Reply): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bodyOf(reply)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

function bodyOf({ body }: Reply): AsyncIterable<Uint8Array> {
  return body === null || typeof body === 'string' ? piecesOf(Buffer.from(body ?? '')) : body;
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function textHeader(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
