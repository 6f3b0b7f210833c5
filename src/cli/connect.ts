/** Builds the client for the profile in force, or for the embedded service. */
import type { Client, Observed } from '../api/client.js';
import { missingKey } from '../api/prepare.js';
import { brandFrom } from '../contract/brand.js';
import type { Observe } from '../http/types.js';
import { durationWords } from '../lib/duration.js';
import { redact, rememberSecret, rememberHeader } from '../lib/redact.js';
import { accountFor, oneService } from '../state/account.js';
import { knownBaseUrl } from '../state/settings.js';
import type { ClientNeeds, Context } from '../context.js';
import type { Tape } from '../tapes/taped.js';
import { showingTransport } from './dry-run.js';

type Connection = Omit<Context, 'client' | 'stdin'>;

/** @throws ConfigError when no base URL, or no key where one is required, is known. */
export async function connect(connection: Connection, needs: ClientNeeds = {}): Promise<Client> {
  const { flags, clock, out, paths, signal, version } = connection;
  const tape = await ownTape(connection);
  const isOffline = tape?.isOffline ?? needs.isOffline ?? false;
  const service = isOffline ? offline(connection) : await serviceOf(connection, needs);
  const { baseUrl, key, session } = service;
  if (key && !isOffline) rememberSecret(key);
  if (session && !flags.local && !isOffline) rememberHeader('cookie', session);
  const transport = flags.dryRun
    ? showingTransport(flags.curl ? 'curl' : 'json')
    : await service.transport().then((inner) => tape?.over(inner, baseUrl) ?? inner);
  const client: Client = {
    baseUrl,
    brand: brandFrom(service.brand),
    key,
    session,
    transport: (request) => {
      const response = transport(request);
      // While the request is on its way: opening stdout costs 1 ms.
      if (!flags.dryRun) out.open();
      return response;
    },
    timeouts: {
      connectMs: service.connectTimeoutMs,
      firstByteMs: service.firstByteTimeoutMs,
      idleMs: service.idleTimeoutMs,
    },
    timeLimit: connection.timeLimit,
    retryWaitMs: service.retryWaitMs,
    clock,
    signal,
    userAgent: `svc-cli/${version}`,
    refused:
      flags.local || tape
        ? undefined
        : async () =>
            (await import('../state/small-files.js')).refusedFields(paths, baseUrl.origin),
    observe: observeFor(connection),
    tape: tape && (isOffline ? 'played' : 'recorded'),
    cache: needs.as || tape ? undefined : await cacheFor(connection, { baseUrl, key }),
  };
  const { budgetDayRub, budgetMonthRub } = needs.as ? {} : connection.settings();
  const { within } = connection.spending;
  const limit = within?.isLimited ? 0 : (flags.maxCostRub ?? budgetDayRub ?? budgetMonthRub);
  if (limit === undefined || flags.dryRun || needs.as || isOffline) return client;
  const { RunSpending } = await import('../spending/spending.js');
  const around = await within?.open();
  connection.spending.ofRun ??= new RunSpending(connection, client, around);
  return { ...client, spending: connection.spending.ofRun };
}

/** Earlier answers, where they may be taken: else neither they nor SQLite are loaded. */
async function cacheFor(connection: Connection, owner: Parameters<typeof accountFor>[1]) {
  const { caching, clock, flags, paths, settings } = connection;
  const ttlMs = caching.isOffered && !flags.dryRun ? (caching.ttlMs ?? settings().cacheMs ?? 0) : 0;
  if (ttlMs === 0 || caching.ofRun) return caching.ofRun;
  const [{ answerCache }, { KeptAnswers }] = await Promise.all([
    import('../api/cache.js'),
    import('../state/cache.js'),
  ]);
  const { keyHash, service } = accountFor(connection, owner);
  const store = new KeptAnswers(paths, clock, ttlMs);
  return (caching.ofRun = answerCache(store, [oneService(service), keyHash]));
}

async function remote({ keyed, env, flags }: Connection, needs: ClientNeeds) {
  // The profile to verify may not exist yet: then there are no settings.
  const known = needs.as ? { ...flags, ...needs.as, keyWithheld: undefined } : await keyed();
  const baseUrl = knownBaseUrl(known);
  if (known.key === undefined && needs.key !== 'optional') throw missingKey(known.keyWithheld);
  return {
    ...known,
    baseUrl,
    // A Cookie header is often copied with its name.
    session: env['SVC_SESSION']?.trim().replace(/^cookie:\s*/i, ''),
    transport: async () => (await import('../http/attempt.js')).createTransport({ env }),
  };
}

const serviceOf = (connection: Connection, needs: ClientNeeds) =>
  connection.flags.local ? embedded(connection) : remote(connection, needs);

/** Of each run that has one: its clients go through the same tape together. */
const tapes = new WeakMap<Connection, Tape>();

async function ownTape(connection: Connection): Promise<Tape | undefined> {
  const { SVC_TAPE: named } = connection.env;
  if (!named || connection.flags.dryRun) return undefined;
  const { tapeOfEnv } = await import('../tapes/taped.js');
  const tape = tapes.get(connection) ?? tapeOfEnv(named, connection);
  tapes.set(connection, tape);
  return tape;
}

/** What stands for a service where nothing is sent: the account of no profile. */
function offline({ settings }: Connection) {
  const known = settings();
  const key = `${brandFrom(known.brand).keyPrefix}tape`;
  const transport = () => Promise.resolve(() => Promise.reject(new Error('nothing is sent')));
  return { ...known, baseUrl: new URL('http://localhost'), key, session: 'tape=1', transport };
}

async function embedded({ settings, env, paths, clock }: Connection) {
  const [{ openForLocal }, { inProcessTransport }] = await Promise.all([
    import('../commands/serve/embedded.js'),
    import('../http/in-process.js'),
  ]);
  const { answer, brand, key, session } = openForLocal({ env, paths, clock });
  const transport = () => Promise.resolve(inProcessTransport(answer));
  return { ...settings(), baseUrl: new URL('http://localhost'), key, session, brand, transport };
}

/** Every step under --verbose; else, once a minute, the waits that the service asks for. */
function observeFor({ flags, out, clock }: Connection): Observe | undefined {
  if (flags.verbose) return (event) => out.error(observedLine(event));
  if (flags.json) return undefined;
  let notedAtMs = -Infinity;
  return (event) => {
    if (event.kind !== 'wait' || !event.isRequested || event.delayMs < 1000) return;
    if (clock.now() - notedAtMs < 60_000) return;
    notedAtMs = clock.now();
    out.note(`waiting ${durationWords(event.delayMs)}: ${event.why}`);
  };
}

function observedLine(event: Observed): string {
  const ms = (exact: number) => `${String(Math.round(exact))} ms`;
  switch (event.kind) {
    case 'request': {
      const attempt = event.attempt > 1 ? ` (attempt ${String(event.attempt)})` : '';
      return redact(`> ${event.request.method} ${event.request.url.href}${attempt}`);
    }
    case 'answer':
      return `< ${String(event.status)} in ${ms(event.elapsedMs)}`;
    case 'failure':
      return redact(`< ${event.message} after ${ms(event.elapsedMs)}`);
    case 'wait':
      return redact(`  waiting ${ms(event.delayMs)}: ${event.why}`);
  }
}
