/** Notifications of jobs: kept until delivered or given up, so a receiver may see one twice. */
import { createHmac } from 'node:crypto';
import { setWebhooks as row } from '../contract/account.js';
import { json, type Call, type App, type Reply } from './call.js';
import { badRequest, messageOf } from './failure.js';
import { endDueJobs } from './media/jobs.js';
import { viewOf } from './media/results.js';
import { addressFault, post } from './outbound.js';
import { secretOf } from './store/accounts.js';
import type { RowOf } from './store/table.js';
import { accounts, mediaJobs, notifications, type Job } from './store/tables.js';

type Addresses = Pick<RowOf<typeof accounts>, 'mediaWebhookUrl' | 'balanceWebhookUrl'>;

/** GET /api/webhooks, only for a cabinet session */
export function show({ app, caller }: Call): Reply {
  const account: Addresses = accounts.find(app.store, { id: caller.accountId }) ?? {};
  const { mediaWebhookUrl = null, balanceWebhookUrl = null } = account;
  return json({ mediaWebhookUrl, balanceWebhookUrl });
}

/** PATCH /api/webhooks: an absent address stays; null or an empty text removes it. */
export async function change(call: Call): Promise<Reply> {
  const { store, settings } = call.app;
  const body = await call.body(row.body);
  const addresses: { [Name in keyof Addresses]: string | undefined } = {};
  for (const name of ['mediaWebhookUrl', 'balanceWebhookUrl'] as const) {
    const value = body[name];
    if (value === undefined) continue;
    const fault = value ? addressFault(value, settings.loopbackWebhooks) : undefined;
    if (fault !== undefined) throw badRequest(`${name} ${fault}`, name);
    addresses[name] = value === '' ? undefined : (value ?? undefined);
  }
  if (Object.keys(addresses).length > 0)
    accounts.update(store, { id: call.caller.accountId }, addresses);
  return show(call);
}

type Notification = RowOf<typeof notifications>;

export interface Delivery {
  /** The start of links to results: `http://127.0.0.1:8787`. */
  readonly baseUrl: string;
  readonly signal: AbortSignal;
  readonly tell?: (line: string) => void;
}

const timeoutMs = 15_000;
/** Longer than any attempt. */
const leaseMs = 30_000;
const atOnce = 8;
/** New jobs may come at any time, also from other processes. */
const maxWaitMs = 1000;

/** The wait after each failed attempt: seconds, minutes, then hours up to a day. */
const waitsMs = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1000);

/** Delivers due notifications until it is stopped. */
export async function deliver(app: App, delivery: Delivery): Promise<void> {
  const { signal, tell } = delivery;
  while (!signal.aborted) {
    let pauseMs = maxWaitMs;
    try {
      await endDueJobs(app);
      await Promise.all(Array.from({ length: atOnce }, () => attemptDue(app, delivery)));
      pauseMs = untilNextMs(app);
    } catch (error) {
      tell?.(`notifications: ${messageOf(error)}`);
    }
    await app.clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}

async function attemptDue(app: App, delivery: Delivery): Promise<void> {
  while (!delivery.signal.aborted) {
    const claimed = claim(app);
    if (!claimed) return;
    await attempt(app, delivery, claimed);
  }
}

/** Claims the first due notification; after its sender's death it is retried after the lease. */
function claim({ store, clock }: App): Notification | undefined {
  return store.transaction(() => {
    const nowMs = clock.now();
    const isDue = 'AND next_attempt_at_ms <= ? ORDER BY next_attempt_at_ms LIMIT 1';
    const due = notifications.find(store, {}, isDue, nowMs);
    if (!due) return undefined;
    const attempts = due.attempts + 1;
    notifications.update(store, { id: due.id }, { attempts, nextAttemptAtMs: nowMs + leaseMs });
    return { ...due, attempts };
  });
}

function untilNextMs({ store, clock }: App): number {
  const next = store.number(
    `SELECT min(at_ms) FROM (
       SELECT min(due_at_ms) AS at_ms FROM media_jobs
       WHERE state = 'running' AND origin <> 'sandbox'
       UNION ALL
       SELECT min(next_attempt_at_ms) FROM notifications WHERE next_attempt_at_ms IS NOT NULL
     )`,
  );
  const aheadMs = (next ?? Infinity) - clock.now();
  // What is still due waits for the next round.
  return aheadMs > 0 ? Math.min(maxWaitMs, aheadMs) : maxWaitMs;
}

async function attempt(app: App, delivery: Delivery, notification: Notification): Promise<void> {
  const { store, clock, settings } = app;
  const { id, url, jobId, attempts } = notification;
  const job = mediaJobs.find(store, { id: jobId });
  const fault = addressFault(url, settings.loopbackWebhooks);
  if (!job || fault !== undefined) {
    const lastOutcome = `given up: the address ${fault ?? 'has no job'}`;
    notifications.update(store, { id }, { nextAttemptAtMs: undefined, lastOutcome });
    return;
  }
  const outcome = await send(app, delivery, notification, job).catch(messageOf);
  const isDelivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300;
  // With 410, a receiver declines further notifications.
  const wait = isDelivered || outcome === 410 ? undefined : waitsMs[attempts - 1];
  const pauseMs = wait && Math.round(wait * (1 + clock.random() / 10));
  const nextAttemptAtMs = pauseMs && clock.now() + pauseMs;
  notifications.update(store, { id }, { nextAttemptAtMs, lastOutcome: String(outcome) });
  const next = wait === undefined ? (isDelivered ? 'delivered' : 'given up') : 'will be retried';
  delivery.tell?.(`notification of ${jobId} to ${new URL(url).host}: ${outcome}, ${next}`);
}

async function send(
  app: App,
  { baseUrl, signal }: Delivery,
  { id, url }: Notification,
  job: Job,
): Promise<number> {
  const { store, clock, settings } = app;
  const body = JSON.stringify({
    type: job.state === 'success' ? 'media.job.succeeded' : 'media.job.failed',
    timestamp: new Date(job.dueAtMs).toISOString(),
    data: await viewOf(app, job, baseUrl),
  });
  // The Standard Webhooks scheme: any of its libraries can check it.
  const timestamp = String(Math.floor(clock.now() / 1000));
  const seal = createHmac('sha256', Buffer.from(secretOf(store, 'webhooks'), 'base64'));
  const signature = seal.update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const loopback = settings.loopbackWebhooks;
  return post({ url: new URL(url), headers, body, loopback, timeoutMs, signal });
}
