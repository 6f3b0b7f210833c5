import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { ServiceOptions } from '../../src/service/service.js';
import { testFolder } from '../helpers/folder.js';
import { ask } from './helpers.js';
import { draft, follow, open, started, type Opened } from './media/helpers.js';
import { receiver, type Receiver } from './receiver.js';

const Payload = z.looseObject({
  type: z.string(),
  timestamp: z.string(),
  data: z.looseObject({
    jobId: z.string(),
    status: z.string(),
    resultUrls: z.array(z.string()),
  }),
});

/** What was sent first. */
function payloadOf({ received }: Receiver) {
  return Payload.parse(JSON.parse(received[0]?.body ?? ''));
}

const baseUrl = 'http://127.0.0.1:8787';
const second = 1000;
const minute = 60 * second;

/** A service of today, whose jobs take a second. */
function opened(options: Partial<ServiceOptions> = {}): Opened {
  const service = open({ loopbackWebhooks: true, jobTimeMs: second, ...options });
  // Libraries that check signatures know only the time of day.
  service.clock.set(Date.now());
  return service;
}

/** Delivers whatever is due now, and ends before it waits for more. */
async function deliverOnce({ service, clock }: Opened): Promise<string[]> {
  const end = new AbortController();
  const lines: string[] = [];
  clock.sleep = () => {
    end.abort();
    return Promise.resolve();
  };
  await service.deliver({ baseUrl, signal: end.signal, tell: (line) => lines.push(line) });
  return lines;
}

async function hooked(service: Opened, { url }: Receiver, model = 'canvas') {
  const { jobId } = await started(service, { ...draft, model, webhook_url: url });
  return jobId;
}

/** What is delivered once so much time is over. */
function deliverAfter(opened: Opened, ms: number): Promise<string[]> {
  opened.clock.set(opened.clock.now() + ms);
  return deliverOnce(opened);
}

it('the notification of a job is sent when the job has ended, signed so that a public library accepts it', async () => {
  const service = opened();
  const hook = await receiver();
  const jobId = await hooked(service, hook);
  await deliverOnce(service);
  expect(hook.received).toEqual([]);
  await deliverAfter(service, second);
  const [{ headers, body } = { headers: {}, body: '' }] = hook.received;
  const secret = service.service.webhookSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const payload = Payload.parse(new Webhook(secret).verify(body, headers));
  expect(payload).toMatchObject({
    type: 'media.job.succeeded',
    timestamp: new Date(service.clock.now()).toISOString(),
    data: { jobId, status: 'success', model: 'local/canvas', priceRub: 0.6 },
  });
  const [url = ''] = payload.data.resultUrls;
  expect(url.startsWith(`${baseUrl}/api/media/file/`)).toBe(true);
  const result = await follow(service, url);
  expect(result.status).toBe(200);
  await result.body?.cancel();
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^msg_/),
  });
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
  const other = opened().service.webhookSecret();
  expect(other).not.toBe(secret);
  expect(() => new Webhook(other).verify(body, headers)).toThrow();
});

it('the notification of a job reports a failure as well', async () => {
  const service = opened();
  const hook = await receiver();
  await hooked(service, hook, 'canvas:failing');
  await deliverAfter(service, second);
  expect(payloadOf(hook)).toMatchObject({
    type: 'media.job.failed',
    data: { status: 'fail', errorCode: 'provider_failed', resultUrls: [] },
  });
});

it("the notification of a job goes to the account's address when the job names none", async () => {
  const service = opened();
  const hook = await receiver();
  const body = { mediaWebhookUrl: `${hook.url}/account` };
  const session = { key: null, headers: { cookie: 'svc_session=local' } };
  const response = await ask(service, '/api/webhooks', { method: 'PATCH', body, ...session });
  expect(response.status).toBe(200);
  await started(service, draft);
  await hooked(service, hook);
  await deliverAfter(service, second);
  expect(hook.received.map(({ path }) => path).sort()).toEqual(['/hook', '/hook/account']);
});

describe('a notification that is not accepted', () => {
  it.each([500, 404, 302, 429])('for %d is sent again, with the same id', async (status) => {
    const service = opened();
    const hook = await receiver();
    hook.answers.push(status);
    await hooked(service, hook);
    const [line] = await deliverAfter(service, second);
    expect(line).toContain(`${status}, will be retried`);
    await deliverAfter(service, 4 * second);
    expect(hook.received).toHaveLength(1);
    await deliverAfter(service, 2 * second);
    expect(hook.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      hook.received[0]?.headers['webhook-id'],
      hook.received[0]?.headers['webhook-id'],
    ]);
    const secret = new Webhook(service.service.webhookSecret());
    for (const { headers, body } of hook.received) secret.verify(body, headers);
    await deliverAfter(service, 60 * minute);
    expect(hook.received).toHaveLength(2);
  });

  it('for 410 is given up at once', async () => {
    const service = opened();
    const hook = await receiver();
    hook.answers.push(410);
    await hooked(service, hook);
    expect((await deliverAfter(service, second))[0]).toContain('410, given up');
  });

  it('is tried ten times, at growing intervals, and then given up', async () => {
    const service = opened();
    const hook = await receiver();
    hook.answers.push(...Array.from({ length: 20 }, () => 503));
    await hooked(service, hook);
    const begun = service.clock.now();
    const lines: string[] = [];
    const gaps: number[] = [];
    let last = begun;
    for (let hours = 0; hours < 24 * 8; hours += 0.5) {
      const reported = await deliverAfter(service, 30 * minute);
      if (reported.length > 0) {
        gaps.push(service.clock.now() - last);
        last = service.clock.now();
      }
      lines.push(...reported);
    }
    expect(hook.received).toHaveLength(10);
    expect(lines.at(-1)).toContain('given up');
    expect(gaps.slice(3)).toEqual([...gaps.slice(3)].sort((a, b) => a - b));
  });

  it('is still sent by a service that is started later', async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const first = opened({ storePath });
    const hook = await receiver();
    hook.answers.push(503);
    const jobId = await hooked(first, hook);
    await deliverAfter(first, second);
    const later = opened({ storePath });
    later.clock.set(first.clock.now() + minute);
    await deliverOnce(later);
    expect(hook.received).toHaveLength(2);
    expect(hook.received[1]?.body).toContain(jobId);
    expect(later.service.webhookSecret()).toBe(first.service.webhookSecret());
  });

  it('goes out once when two services share a store', async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const services = [opened({ storePath }), opened({ storePath })] as const;
    const hook = await receiver();
    for (let i = 0; i < 6; i += 1) await hooked(services[0], hook);
    await Promise.all(services.map((service) => deliverAfter(service, second * 5)));
    const ids = hook.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
  });
});

it('where notifications go is not this machine unless it was allowed, now as well as when the job began', async () => {
  const storePath = join(testFolder(), 'local.sqlite');
  const allowing = opened({ storePath });
  const hook = await receiver();
  await hooked(allowing, hook);
  const strict = opened({ storePath, loopbackWebhooks: false });
  strict.clock.set(allowing.clock.now() + minute);
  await deliverOnce(strict);
  await deliverOnce(allowing);
  expect(hook.received).toEqual([]);
});

it('delivery runs until it is stopped, and sends what becomes due meanwhile', async () => {
  const service = opened({ jobTimeMs: 0 });
  const hook = await receiver();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  service.clock.sleep = async (_, signal) => {
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  };
  const ended = service.service.deliver({ baseUrl, signal: end.signal });
  await hooked(service, hook);
  await hook.count(1);
  await hooked(service, hook);
  await hook.count(2);
  end.abort();
  await ended;
  expect(hook.received).toHaveLength(2);
});
