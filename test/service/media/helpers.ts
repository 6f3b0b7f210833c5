import { expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { GenerateReply, Job, PriceQuote } from '../../../src/contract/media.js';
import { UsageHistory } from '../../../src/contract/billing.js';
import { createService, type Service } from '../../../src/service/service.js';
import type { ServiceOptions } from '../../../src/service/service.js';
import { formRequest } from '../../helpers/form-request.js';
import { FakeClock, get, heldToRows, keys, post } from '../helpers.js';

export const day = 24 * 60 * 60 * 1000;
export const origin = 'http://any.example';
/** What local/canvas costs when nothing is chosen. */
export const canvasRub = 2.4;
export const lighthouse = { model: 'local/canvas', prompt: 'a lighthouse' };
/** The cheapest and smallest there is. */
export const draft = { ...lighthouse, opts: { quality: 'draft' } };

export interface Opened {
  readonly service: Service;
  readonly clock: FakeClock;
}

/** A service whose time moves only when a test moves it, or an image is waited for. */
export function open(options: Partial<ServiceOptions> = {}): Opened {
  const clock = new FakeClock();
  const service = createService({ storePath: ':memory:', clock, ...options });
  onTestFinished(() => service.close());
  return { service: heldToRows(service, options), clock };
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

/** Posts JSON with further headers. */
export function send(
  { service }: Opened,
  path: string,
  body: unknown,
  { headers: further = {}, key = keys.local }: Sent = {},
): Promise<Response> {
  const own = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const headers = { ...own, ...further };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return service.fetch(new Request(origin + path, { method: 'POST', headers, body: text }));
}

export function generate(opened: Opened, body: unknown, sent?: Sent): Promise<Response> {
  return send(opened, '/api/media/generate', body, sent);
}

/** Starts a job that must be accepted. */
export async function started(opened: Opened, body: unknown, sent?: Sent) {
  const response = await generate(opened, body, sent);
  const reply: unknown = await response.json();
  expect(response.status, JSON.stringify(reply)).toBe(202);
  return GenerateReply.parse(reply);
}

/** A price that must be given. */
export async function quoted(opened: Opened, body: unknown, key: string = keys.local) {
  const response = await post(opened.service, '/api/media/price', body, key);
  const reply: unknown = await response.json();
  expect(response.status, JSON.stringify(reply)).toBe(200);
  return PriceQuote.parse(reply);
}

export async function jobOf({ service }: Opened, id: string, key: string = keys.local) {
  const response = await get(service, `/api/media/jobs/${id}`, key);
  const reply: unknown = await response.json();
  expect(response.status, JSON.stringify(reply)).toBe(200);
  return Job.parse(reply);
}

/** A job that has just succeeded, and the first of its links. */
export async function finished(opened: Opened, body: unknown = draft) {
  const { jobId } = await started(opened, body);
  opened.clock.set(opened.clock.now() + day / 24);
  const job = await jobOf(opened, jobId);
  expect(job).toMatchObject({ status: 'success' });
  return { jobId, job, url: job.resultUrls?.[0] ?? '' };
}

/** Follows a link, without a key. */
export function follow(
  { service }: Opened,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return service.fetch(new Request(url, { headers }));
}

const Balance = z.object({ balance_rub: z.number() });

export async function balanceOf({ service }: Opened, key: string = keys.local): Promise<number> {
  return Balance.parse(await (await get(service, '/v1/balance', key)).json()).balance_rub;
}

export async function historyOf({ service }: Opened, key: string = keys.local) {
  const response = await get(service, '/v1/generations?limit=100', key);
  return UsageHistory.parse(await response.json()).data;
}

/** What the records of an account add up to is what its balance has lost. */
export async function expectBalanced(opened: Opened, openingRub = 1000, key: string = keys.local) {
  const records = await historyOf(opened, key);
  const spent = records.reduce((sum, { priceRub }) => sum + (priceRub ?? 0), 0);
  expect(spent).toBeCloseTo(openingRub - (await balanceOf(opened, key)), 6);
  return spent;
}

export interface Refused {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function refusal(response: Response): Promise<Refused> {
  const body = z.looseObject({}).parse(await response.json());
  return { status: response.status, body };
}

/** The head of a refusal, as `422 quote_used`, once its body is what section 2.11 shows. */
export async function refusedWith(response: Response): Promise<string> {
  const { status, body } = await refusal(response);
  const { ok, code, message } = z
    .looseObject({ ok: z.literal(false), code: z.string(), message: z.string() })
    .parse(body);
  expect(ok).toBe(false);
  expect(message).not.toBe('');
  return `${status} ${code}`;
}

const File = z.looseObject({ id: z.string() });

/** Uploads bytes, and gives the id of the file. */
export async function uploaded({ service }: Opened, bytes: Uint8Array, key: string = keys.local) {
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'source.bin');
  const authorization = `Bearer ${key}`;
  const request = await formRequest(`${origin}/v1/files`, form, { authorization });
  const response = await service.fetch(request);
  expect(response.status).toBe(200);
  return File.parse(await response.json()).id;
}
