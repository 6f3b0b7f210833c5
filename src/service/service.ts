/** The embedded service: the whole interface as one function from a request to a response. */
import { brandFrom, defaultBrand, type Brand } from '../contract/brand.js';
import type { Endpoint } from '../contract/endpoint.js';
import { endpoints, type EndpointId } from '../contract/index.js';
import { embedded } from '../contract/limits.js';
import type { Clock } from '../lib/clock.js';
import { admit, authenticate } from './auth.js';
import type { ServiceRequest } from './body.js';
import { Call, json, type App, type Reply } from './call.js';
import { makeEngines } from './engines/engine.js';
import { assertHolds, failureBody, familyOf, ServiceFailure } from './failure.js';
import { Folder } from './folder.js';
import { handlers } from './handlers.js';
import { anonymousRequestId, randomId, requestIdOf, type RandomId } from './ids.js';
import { makeMediaApp, type MediaSettings } from './media/app.js';
import { toMicroRub } from './charge.js';
import { Corpus } from './search/corpus.js';
import { hasDue, secretOf, type Caller } from './store/accounts.js';
import { isBusy } from '../lib/sql.js';
import { openStore } from './store/store.js';
import type { Delivery } from './webhooks.js';

export interface ServiceOptions extends MediaSettings {
  readonly storePath: string;
  readonly clock: Clock;
  /** The token in headers, keys and paths; `svc` when absent. */
  readonly brand?: string;
  readonly scriptPath?: string;
  readonly corpusPath?: string;
  /** What the funded accounts of a new store start with; 1000 when absent. */
  readonly openingBalanceRub?: number;
  /** How long a ticket waits for an answer of staff, in milliseconds; 10 seconds when absent. */
  readonly ticketReplyMs?: number;
  readonly newId?: RandomId;
}

export type Service = ReturnType<typeof createService>;

type Row = Endpoint & { readonly id: EndpointId };

export function createService(options: ServiceOptions) {
  const { clock, storePath: path, newId = randomId } = options;
  const brand = brandFrom(options.brand ?? defaultBrand);
  const openingMicroRub = toMicroRub(options.openingBalanceRub ?? 1000);
  const store = openStore({ path, brand, openingMicroRub, nowMs: clock.now() });
  const engines = makeEngines(options.scriptPath, clock);
  const folder = new Folder(path, newId);
  const media = makeMediaApp(folder, options);
  const corpus = new Corpus(options.corpusPath, clock);
  const ticketReplyMs = options.ticketReplyMs ?? embedded.ticketReplyMs;
  const app: App = { store, clock, brand, engines, newId, corpus, media, ticketReplyMs };
  const route = makeRouter<Row>(endpoints, brand);
  const answer = (request: ServiceRequest) => serve(app, route, request);
  return {
    /** As `fetch`, without the cost of a Response. */
    answer,
    /** Answers a request; never rejects. Links in the answer begin with the request's origin. */
    fetch: async (request: ServiceRequest) => {
      const { body, headers, status } = await answer(request);
      return new Response(body, { status, headers: [...headers] });
    },
    /** Reads the folder that is searched; how many texts it has. */
    readCorpus: () => corpus.folderSize(),
    /** What receivers check notifications with. */
    webhookSecret: () => `whsec_${secretOf(store, 'webhooks').toString('base64')}`,
    /** Delivers notifications of jobs that end, until `delivery.signal` aborts. Never rejects. */
    deliver: async (delivery: Delivery) => (await import('./webhooks.js')).deliver(app, delivery),
    close: () => {
      corpus.close();
      store.close();
      folder.close();
    },
  };
}

async function serve(
  app: App,
  route: ReturnType<typeof makeRouter<Row>>,
  request: ServiceRequest,
): Promise<Reply> {
  const url = new URL(request.url);
  const family = familyOf(url.pathname);
  let requestId: string | undefined;
  let reply: Reply;
  try {
    const { found, methods } = route(request.method, url.pathname);
    if (found) {
      const { row, params } = found;
      const caller = authenticate(row, request, app);
      requestId = caller ? requestIdOf(app, caller.accountId) : anonymousRequestId(app);
      if (caller) await admitted(app, caller);
      const call = new Call(app, request, url, params, caller, row.maxBodyBytes, requestId);
      reply = await handlers[row.id](call);
    } else reply = await withoutRow(app, request, url.pathname, methods);
  } catch (error) {
    const failure = error instanceof ServiceFailure ? error : bug(error);
    requestId ??= anonymousRequestId(app);
    const body = failureBody(family, failure, requestId);
    reply = json(body, failure.status, failure.details.headers);
  }
  requestId ??= anonymousRequestId(app);
  // The second name is where clients of the messages format look for it.
  const ids = family === 'messages' ? ['x-request-id', 'request-id'] : ['x-request-id'];
  const named = ids.map((name): [string, string] => [name, requestId]);
  return { status: reply.status, headers: [...reply.headers, ...named], body: reply.body };
}

/** Admits a caller, after recording what has become due on the account. */
async function admitted(app: App, caller: Caller): Promise<void> {
  admit(caller);
  if (!hasDue(app.store, caller.accountId, app.clock.now())) return;
  // Jobs first: what they give back may pay for voices.
  await (await import('./media/jobs.js')).endDueJobs(app, caller.accountId);
  (await import('./voices/fees.js')).chargeVoices(app, caller.accountId);
}

/** What is shown at a path without a row: a text that a search found, or why there is nothing. */
async function withoutRow(
  app: App,
  request: ServiceRequest,
  pathname: string,
  methods: readonly string[],
): Promise<Reply> {
  if (methods.length > 0) {
    const allow = methods.join(', ');
    const message = `this path takes ${methods.join(' or ')}, not ${request.method}`;
    throw new ServiceFailure(405, 'method_not_allowed', message, { headers: { allow } });
  }
  const page = request.method === 'GET' ? await app.corpus.page(pathname) : undefined;
  assertHolds(page, 404, 'path_not_found', 'the service has no such path');
  return page;
}

function bug(error: unknown): ServiceFailure {
  if (isBusy(error)) {
    return new ServiceFailure(503, 'store_busy', 'the store is busy; nothing was charged');
  }
  const message = error instanceof Error ? error.message : String(error);
  return new ServiceFailure(500, 'internal_error', `the embedded service failed: ${message}`);
}

type Routable = Pick<Endpoint, 'method' | 'path' | 'openEnded'>;

/** Builds a router; a literal path wins over one with parameters. */
export function makeRouter<Row extends Routable>(rows: readonly Row[], brand: Brand) {
  const known = rows
    .map((row) => ({ row, pattern: patternOf(brand.path(row.path), row.openEnded) }))
    .sort((a, b) => a.row.path.split('{').length - b.row.path.split('{').length);
  return (method: string, pathname: string) => {
    const methods = new Set<string>();
    for (const { row, pattern } of known) {
      const params = paramsOf(pattern.exec(pathname));
      if (params) methods.add(row.method);
      if (params && row.method === method) return { found: { row, params }, methods: [] };
    }
    // What else the path takes.
    return { methods: [...methods] };
  };
}

function patternOf(path: string, openEnded = false): RegExp {
  const source = path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(\w+)\}$/, openEnded ? '(?<$1>[^]+)' : '$&')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}

function paramsOf(found: RegExpExecArray | null): Record<string, string> | undefined {
  const groups = Object.entries(found?.groups ?? {});
  try {
    return found
      ? Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)]))
      : undefined;
  } catch {
    // This is not valid encoding.
    return undefined;
  }
}
