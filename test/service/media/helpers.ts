import { expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { GenerateReply, Job, PriceQuote } from '../../../src/contract/media.js';
import { createService, type Service } from '../../../src/service/service.js';
import type { ServiceOptions } from '../../../src/service/service.js';
import {
  ask,
  balanceOf,
  FakeClock,
  formOf,
  get,
  heldToRows,
  historyOf,
  origin,
  post,
  read,
} from '../helpers.js';

export { balanceOf, historyOf, origin };

export const day = 24 * 60 * 60 * 1000;
/** What local/canvas costs when nothing is chosen. */
export const canvasRub = 2.4;
export const lighthouse = { model: 'local/canvas', prompt: 'a lighthouse' };
/** The cheapest and smallest there is. */
export const draft = { ...lighthouse, opts: { quality: 'draft' } };

/** The smallest film there is. */
export const film = {
  model: 'reel',
  prompt: 'a lighthouse',
  opts: { seconds: 1, resolution: '480p', aspect_ratio: '1:1' },
};

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
export function send(opened: Opened, path: string, body: unknown, sent?: Sent): Promise<Response> {
  return ask(opened, path, { ...sent, body });
}

export function generate(opened: Opened, body: unknown, sent?: Sent): Promise<Response> {
  return send(opened, '/api/media/generate', body, sent);
}

/** Starts a job that must be accepted. */
export function started(opened: Opened, body: unknown, sent?: Sent) {
  return read(generate(opened, body, sent), GenerateReply, 202);
}

/** A price that must be given. */
export function quoted({ service }: Opened, body: unknown, key?: string) {
  return read(post(service, '/api/media/price', body, key), PriceQuote);
}

export function jobOf({ service }: Opened, id: string, key?: string) {
  return read(get(service, `/api/media/jobs/${id}`, key), Job);
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
export function follow(opened: Opened, url: string, headers?: Sent['headers']): Promise<Response> {
  return ask(opened, url, { headers, key: null });
}

/** What the records of an account add up to is what its balance has lost. */
export async function expectBalanced(opened: Opened, openingRub = 1000, key?: string) {
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

const ErrorBody = z.object({
  error: z.looseObject({ code: z.string(), message: z.string(), param: z.nullable(z.string()) }),
});

/** The status and the error of a refusal under /v1. */
export async function errorOf(response: Response) {
  const { status, body } = await refusal(response);
  return { status, ...ErrorBody.parse(body).error };
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
export async function uploaded(opened: Opened, bytes: Uint8Array, key?: string) {
  const body = formOf({ file: new Blob([bytes]) });
  return (await read(ask(opened, '/v1/files', { body, key }), File)).id;
}
