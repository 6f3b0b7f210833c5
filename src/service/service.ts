/** The embedded service: the whole interface as one function from request to response. */
import { brandFrom, defaultBrand } from '../contract/brand.js';
import type { Endpoint } from '../contract/endpoint.js';
import { endpoints, type EndpointId } from '../contract/index.js';
import { embedded } from '../contract/limits.js';
import { makeRouter, type Router } from '../contract/route.js';
import type { Clock } from '../lib/clock.js';
import { type Access, admit, authenticate } from './auth.js';
import type { ServiceRequest } from './body.js';
import { Call, json, webResponse, type App, type Reply, type Settings } from './call.js';
import type { Engine, Engines } from './engines/engine.js';
import { assertHolds, failureBody, familyOf, messageOf, ServiceFailure } from './failure.js';
import { Folder } from './folder.js';
import { handlers } from './handlers.js';
import { randomId, requestIdOf, type RandomId } from './ids.js';
import type { MediaModel } from './media/engines/model.js';
import { toMicroRub } from './charge.js';
import { Corpus } from './search/corpus.js';
import { hasDue, secretOf, type Caller } from './store/accounts.js';
import { isBusy } from '../lib/error-code.js';
import { openStore } from './store/store.js';
import type { Delivery } from './webhooks.js';

export interface ServiceOptions extends Partial<Settings> {
  readonly storePath: string;
  readonly clock: Clock;
  /** The token in headers, keys and paths; `svc` when absent. */
  readonly brand?: string;
  readonly scriptPath?: string;
  readonly corpusPath?: string;
  /** The opening balance of funded accounts in a new store; 1000 by default. */
  readonly openingBalanceRub?: number;
  readonly mediaModels?: readonly MediaModel[];
  readonly newId?: RandomId;
}

export interface Service {
  /** Answers a request; never rejects. Links in the answer begin with the request's origin. */
  readonly answer: (request: ServiceRequest) => Promise<Reply>;
  /** The same in the web's classes. */
  readonly fetch: (request: ServiceRequest) => Promise<Response>;
  /** Reads the folder to search, and returns the number of its documents. */
  readonly readCorpus: () => Promise<number>;
  /** The secret with which notifications are signed. */
  readonly webhookSecret: () => string;
  /** Delivers notifications of completed jobs until `delivery.signal` aborts. Never rejects. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  /** Closes the store; a temporary folder is removed. */
  readonly close: () => void;
}

type ServiceRow = Access &
  Pick<Endpoint, 'method' | 'path' | 'openEnded' | 'maxBodyBytes'> & { readonly id: EndpointId };

export function createService(options: ServiceOptions): Service {
  const { clock, storePath: path, newId = randomId } = options;
  const brand = brandFrom(options.brand ?? defaultBrand);
  const openingMicroRub = toMicroRub(options.openingBalanceRub ?? 1000);
  const store = openStore({ path, brand, openingMicroRub, nowMs: clock.now() });
  const folder = new Folder(path, newId);
  const corpus = new Corpus(options.corpusPath, clock);
  const app: App = {
    ...{ store, folder, clock, brand, corpus, newId },
    settings: {
      jobTimeMs: options.jobTimeMs,
      imageDeadlineMs: options.imageDeadlineMs ?? embedded.imageDeadlineMs,
      quoteTtlMs: options.quoteTtlMs ?? 10 * 60_000,
      ticketReplyMs: options.ticketReplyMs ?? embedded.ticketReplyMs,
      loopbackWebhooks: options.loopbackWebhooks ?? false,
      allowFetch: options.allowFetch ?? false,
    },
    engines: makeEngines(options.scriptPath, clock),
    mediaModels: async () =>
      options.mediaModels ?? (await import('./media/engines/models.js')).models,
  };
  const route = makeRouter<ServiceRow>(endpoints, brand);
  const answer = (request: ServiceRequest) => serve(app, route, request);
  return {
    answer,
    fetch: async (request) => webResponse(await answer(request)),
    readCorpus: () => corpus.folderSize(),
    webhookSecret: () => `whsec_${secretOf(store, 'webhooks')}`,
    deliver: async (delivery) => (await import('./webhooks.js')).deliver(app, delivery),
    close: () => {
      corpus.close();
      store.close();
      folder.close();
    },
  };
}

/** The chat models, each loaded on first use. */
function makeEngines(scriptPath: string | undefined, clock: Clock): Engines {
  let script: Promise<Engine> | undefined;
  return {
    guide: async (prompt) => (await import('./engines/guide.js')).guide(prompt),
    echo: async (prompt) => (await import('./engines/answers.js')).echo(prompt),
    script: async (prompt, request) => {
      script ??= import('./engines/script.js').then((module) =>
        module.scriptEngine(scriptPath, clock),
      );
      return (await script)(prompt, request);
    },
  };
}

async function serve(app: App, route: Router<ServiceRow>, request: ServiceRequest): Promise<Reply> {
  const url = new URL(request.url);
  const family = familyOf(url.pathname);
  const random = app.newId();
  let requestId = `req_${random}`;
  let caller: Caller | undefined;
  let chargedRub = 0;
  let usageId: string | undefined;
  let reply: Reply;
  try {
    // HEAD is GET without its body (RFC 9110, section 9.3.2).
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const { match, methods } = route(method, url.pathname);
    if (match) {
      const { row, params } = match;
      caller = authenticate(row, request, app);
      if (caller) {
        requestId = requestIdOf(app.store, () => random, caller.accountId);
        admit(caller);
        if (hasDue(app.store, caller.accountId, app.clock.now())) await settleDue(app, caller);
      }
      const { maxBodyBytes } = row;
      const call = new Call(app, request, url, { params, caller, maxBodyBytes, requestId });
      reply = await handlers[row.id](call);
      chargedRub = call.chargedRub;
      usageId = call.usageId;
    } else reply = await withoutRow(app, request, url.pathname, methods);
  } catch (error) {
    const failure = error instanceof ServiceFailure ? error : bug(error);
    const body = failureBody(family, failure, requestId);
    reply = json(body, failure.status, failure.details.headers);
  }
  const headers: Record<string, string> = { ...reply.headers };
  if (usageId !== undefined) headers[app.brand.header('generation-id')] = usageId;
  headers['x-request-id'] = requestId;
  // Clients of the messages format read this name.
  if (family === 'messages') headers['request-id'] = requestId;
  const body = request.method === 'HEAD' ? leave(reply.body) : reply.body;
  return { status: reply.status, headers, body, caller, chargedRub };
}

/** Frees what an unread body holds. */
function leave(body: Reply['body']): null {
  if (body && typeof body !== 'string') void body[Symbol.asyncIterator]().return?.();
  return null;
}

/** Records what has become due on the account. */
async function settleDue(app: App, caller: Caller): Promise<void> {
  // Jobs first: their refunds may pay for voices.
  await (await import('./media/jobs.js')).endDueJobs(app, caller.accountId);
  (await import('./voices/fees.js')).chargeVoices(app, caller.accountId);
}

/** Answers for a path without a row: a text that a search found, or the reason for a refusal. */
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
  // Programs look here to see whether anything answers.
  const isRead = /^(GET|HEAD)$/.test(request.method);
  if (pathname === '/' && isRead) return json({ object: 'service', description: '/api/openapi' });
  const page = request.method === 'GET' ? await app.corpus.page(pathname) : undefined;
  assertHolds(page, 404, 'path_not_found', 'the service has no such path');
  const headers = {
    'content-type': `${page.mediaType}; charset=utf-8`,
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body: page.text };
}

function bug(error: unknown): ServiceFailure {
  if (isBusy(error)) {
    return new ServiceFailure(503, 'store_busy', 'the store is busy; nothing was charged');
  }
  const message = `the embedded service failed: ${messageOf(error)}`;
  return new ServiceFailure(500, 'internal_error', message);
}
