/** Builds the client for the profile in force, or for the embedded service. */
import type { Client, Observed } from '../api/client.js';
import { noKey } from '../api/prepare.js';
import { brandFrom } from '../contract/brand.js';
import { ConfigError } from '../errors.js';
import type { Observe, Transport } from '../http/types.js';
import { durationWords } from '../lib/duration.js';
import { redact, rememberSecret, rememberHeader } from '../lib/redact.js';
import type { Settings } from '../state/settings.js';
import type { Output } from '../terminal/types.js';
import type { Env } from '../lib/env.js';
import type { ClientNeeds, Context } from './context.js';
import { showingTransport } from './dry-run.js';

type Connection = Omit<Context, 'client' | 'stdin'> & { readonly version: string };

/** @throws ConfigError when no base URL, or no key where one is required, is known. */
export async function connect(connection: Connection, needs: ClientNeeds = {}): Promise<Client> {
  const { flags, clock, signal, version } = connection;
  const target = flags.local ? await embedded(connection) : remote(connection, needs);
  if (target.key) rememberSecret(target.key);
  if (target.session && !flags.local) rememberHeader('cookie', target.session);
  const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = target;
  return {
    baseUrl: target.baseUrl,
    brand: brandFrom(target.brand),
    key: target.key,
    session: target.session,
    transport: flags.dryRun
      ? showingTransport(flags.curl ? 'curl' : 'json')
      : opensStdout(connection.out, await target.transport()),
    timeouts: {
      connectMs: connectTimeoutMs,
      firstByteMs: firstByteTimeoutMs,
      idleMs: idleTimeoutMs,
    },
    deadlineMs: flags.timeoutMs,
    retryWaitMs: target.retryWaitMs,
    clock,
    signal,
    userAgent: `svc-cli/${version}`,
    refused: flags.local
      ? undefined
      : async () => {
          const { refusedFields } = await import('../state/small-files.js');
          return refusedFields(connection.paths, target.baseUrl.origin);
        },
    observe: observeFor(connection),
  };
}

/** What a wait must last to be worth a line, and how long one line holds. */
const worthTellingMs = 1000;
const toldForMs = 60_000;

/** Every step under --verbose; else the waits that the service asks for: svc would seem to hang. */
function observeFor({ flags, out, clock }: Connection): Observe | undefined {
  if (flags.verbose) return (event) => out.error(observedLine(event));
  if (flags.json) return undefined;
  let toldAtMs = -Infinity;
  return (event) => {
    if (event.kind !== 'wait' || !event.isAsked || event.delayMs < worthTellingMs) return;
    if (clock.now() - toldAtMs < toldForMs) return;
    toldAtMs = clock.now();
    out.note(`waiting ${durationWords(event.delayMs)}: ${event.why}`);
  };
}

/** Opens stdout while the first request is on its way: it takes 1 ms that nobody waits for then. */
function opensStdout(out: Output, transport: Transport): Transport {
  return (request) => {
    const response = transport(request);
    out.open();
    return response;
  };
}

type Target = Pick<
  Settings,
  'key' | 'brand' | 'connectTimeoutMs' | 'firstByteTimeoutMs' | 'idleTimeoutMs' | 'retryWaitMs'
> & { baseUrl: URL; session: string | undefined; transport: () => Promise<Transport> };

function remote({ settings, env, flags }: Connection, needs: ClientNeeds): Target {
  // What is being proved may be a profile that does not exist yet: then there are no settings.
  const known = needs.as ? { ...flags, ...needs.as, keyWithheld: undefined } : settings();
  if (!known.baseUrl) {
    throw new ConfigError('no base URL is known', {
      code: 'no_base_url',
      hint: 'run `svc login`, set SVC_BASE_URL, or try --local for the embedded service',
    });
  }
  if (known.key === undefined && needs.key !== 'optional') {
    throw noKey(known.keyWithheld);
  }
  return {
    ...known,
    baseUrl: known.baseUrl,
    session: sessionIn(env),
    transport: async () => {
      const { createTransport } = await import('../http/attempt.js');
      return createTransport({ env });
    },
  };
}

/** Whoever copies a Cookie header may copy its name with it. */
function sessionIn(env: Env): string | undefined {
  return env['SVC_SESSION']?.trim().replace(/^cookie:\s*/i, '');
}

/** The embedded service in this process: offline, its key known to everyone. */
async function embedded({ flags, env, paths, clock }: Connection): Promise<Target> {
  const [{ openForLocal }, { inProcessTransport }] = await Promise.all([
    import('../commands/serve/embedded.js'),
    import('../http/in-process.js'),
  ]);
  const local = openForLocal({ env, paths, clock });
  return {
    baseUrl: new URL('http://localhost'),
    key: local.key,
    session: local.session,
    brand: local.brand,
    connectTimeoutMs: flags.connectTimeoutMs,
    firstByteTimeoutMs: flags.firstByteTimeoutMs,
    idleTimeoutMs: flags.idleTimeoutMs,
    retryWaitMs: flags.retryWaitMs,
    transport: () => Promise.resolve(inProcessTransport(local.fetch)),
  };
}

function observedLine(event: Observed): string {
  switch (event.kind) {
    case 'request':
      return redact(
        `> ${event.request.method} ${event.request.url.href}${event.attempt > 1 ? ` (attempt ${String(event.attempt)})` : ''}`,
      );
    case 'answer':
      return `< ${String(event.status)} in ${String(Math.round(event.elapsedMs))} ms`;
    case 'failure':
      return redact(`< ${event.message} after ${String(Math.round(event.elapsedMs))} ms`);
    case 'wait':
      return redact(`  waiting ${String(Math.round(event.delayMs))} ms: ${event.why}`);
  }
}
