/**
 * Delivers notifications of jobs that ended, while `svc serve` runs. They are in the store until
 * they are delivered or given up, so nothing is lost when it ends; a receiver may see one twice.
 */
import type { House } from '../call.js';
import { finishDue } from '../media/finish.js';
import { viewOf } from '../media/job.js';
import { jobById, nextDueMs, type Job } from '../store/media-jobs.js';
import {
  claimNotification,
  nextAttemptMs,
  settleNotification,
  type Notification,
} from '../store/notifications.js';
import { webhookFault } from './address.js';
import { post } from './send.js';
import { signedHeaders } from './sign.js';

export interface Delivery {
  /** What the links to results begin with: `http://127.0.0.1:8787`. */
  readonly baseUrl: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Takes a line about each attempt. */
  readonly tell?: (line: string) => void;
}

const timeoutMs = 15_000;
/** Longer than an attempt can take. */
const leaseMs = 30_000;
const atOnce = 8;
/** New jobs come at any time, from other processes too. */
const longestWaitMs = 1000;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** How long to wait after each attempt that failed. After the last one it is given up. */
const waitsMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Delivers what is due, and what becomes due, until it is ended. */
export async function deliver(house: House, delivery: Delivery): Promise<void> {
  const { signal, tell } = delivery;
  while (!signal.aborted) {
    let pauseMs = longestWaitMs;
    try {
      await deliverDue(house, delivery);
      pauseMs = untilNextMs(house);
    } catch (error) {
      tell?.(`notifications: ${messageOf(error)}`);
    }
    await house.clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}

/** One round: ends the jobs whose time is over, then makes every attempt that is due. */
async function deliverDue(house: House, delivery: Delivery): Promise<void> {
  await finishDue(house);
  const one = async () => {
    while (!delivery.signal.aborted) {
      const claimed = claimNotification(house.store, house.clock.now(), leaseMs);
      if (!claimed) return;
      await attempt(house, delivery, claimed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

function untilNextMs({ store, clock }: House): number {
  const next = Math.min(nextDueMs(store) ?? Infinity, nextAttemptMs(store) ?? Infinity);
  const aheadMs = next - clock.now();
  // What is due and was left just now cannot be helped at once.
  return aheadMs > 0 ? Math.min(longestWaitMs, aheadMs) : longestWaitMs;
}

async function attempt(
  house: House,
  delivery: Delivery,
  notification: Notification,
): Promise<void> {
  const { store, clock, media } = house;
  const { id, url, jobId, attempts } = notification;
  const job = jobById(store, jobId);
  const fault = webhookFault(url, media.loopbackWebhooks);
  if (!job || fault !== undefined) {
    settleNotification(store, id, null, `given up: the address ${fault ?? 'has no job'}`);
    return;
  }
  const outcome = await send(house, delivery, notification, job).catch(messageOf);
  const isDelivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300;
  // 410 is how a receiver says that it wants no more.
  const wait = isDelivered || outcome === 410 ? undefined : waitsMs[attempts - 1];
  settleNotification(
    store,
    id,
    wait === undefined ? null : clock.now() + Math.round(wait * (1 + clock.random() / 10)),
    String(outcome),
  );
  const next = wait === undefined ? (isDelivered ? 'delivered' : 'given up') : 'to be tried again';
  delivery.tell?.(`notification of ${jobId} to ${new URL(url).host}: ${outcome}, ${next}`);
}

async function send(
  house: House,
  { baseUrl, signal }: Delivery,
  { id, url }: Notification,
  job: Job,
): Promise<number> {
  const { store, clock, media } = house;
  const body = JSON.stringify({
    type: job.state === 'success' ? 'media.job.succeeded' : 'media.job.failed',
    timestamp: new Date(job.dueAtMs).toISOString(),
    data: await viewOf(house, job, baseUrl),
  });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks',
    ...signedHeaders(store, id, clock.now(), body),
  };
  const loopback = media.loopbackWebhooks;
  return post({ url: new URL(url), headers, body, loopback, timeoutMs, signal });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
