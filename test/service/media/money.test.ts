/** In any order of actions, jobs, records and balance agree. */
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { seeded, type Random } from '../../helpers/random.js';
import { post } from '../helpers.js';
import {
  balanceOf,
  expectBalanced,
  generate,
  historyOf,
  jobOf,
  lighthouse,
  open,
  quoted,
  send,
  type Opened,
} from './helpers.js';

const openingRub = 60;
const Accepted = z.object({ jobId: z.string() });

/** Ids of the jobs that were taken on, by how they are paid. */
interface Taken {
  readonly generated: Set<string>;
  readonly images: Set<string>;
}

async function startJob(opened: Opened, random: Random, { generated }: Taken): Promise<void> {
  const model = random.pick(['canvas', 'canvas', 'canvas:failing', 'canvas:uncertain']);
  const opts = { quality: random.pick(['draft', 'standard', 'high']) };
  const body = { ...lighthouse, model, opts };
  const quote_id = random.below(3) === 0 ? (await quoted(opened, body)).quoteId : undefined;
  // Few keys, so that many calls repeat another or clash with it.
  const headers = { 'idempotency-key': `k${random.below(40)}` };
  const response = await generate(opened, { ...body, quote_id }, { headers });
  expect([202, 402, 409]).toContain(response.status);
  if (response.status === 202) generated.add(Accepted.parse(await response.json()).jobId);
}

async function askForImage(opened: Opened, random: Random, { images }: Taken): Promise<void> {
  const model = random.pick(['canvas', 'canvas', 'canvas:failing']);
  const response = await send(opened, '/v1/images/generations', { ...lighthouse, model });
  expect([200, 402, 502, 504]).toContain(response.status);
  const id = response.headers.get('x-svc-media-job-id');
  if (id !== null) images.add(id);
  await response.text();
}

async function step(opened: Opened, random: Random, taken: Taken): Promise<void> {
  switch (random.below(5)) {
    case 0:
    case 1:
      await startJob(opened, random, taken);
      return;
    case 2:
      await askForImage(opened, random, taken);
      return;
    case 3:
      opened.clock.set(opened.clock.now() + random.below(4000));
      return;
    default: {
      const [id] = [...taken.generated].slice(-1);
      if (id !== undefined) await jobOf(opened, id);
      await expectBalanced(opened, openingRub);
    }
  }
}

it.each([1, 2, 3, 4])('the money of jobs adds up, whatever happens (%d)', async (seed) => {
  const random = seeded(seed);
  const opened = open({
    openingBalanceRub: openingRub,
    jobTimeMs: 3000,
    imageDeadlineMs: random.pick([500, 5000]),
  });
  const taken: Taken = { generated: new Set(), images: new Set() };
  for (let i = 0; i < 120; i += 1) await step(opened, random, taken);
  // Chats and jobs pay from one balance.
  const messages = [{ role: 'user', content: 'hi' }];
  await post(opened.service, '/v1/chat/completions', { model: 'local/echo', messages });
  opened.clock.set(opened.clock.now() + 10_000);
  let keptRub = 0;
  for (const id of [...taken.generated, ...taken.images]) {
    const { status, priceRub } = await jobOf(opened, id);
    expect(['success', 'fail']).toContain(status);
    keptRub += priceRub ?? 0;
  }
  const records = await historyOf(opened);
  const chatRub = records
    .filter(({ model }) => model === 'local/echo')
    .reduce((sum, { priceRub }) => sum + (priceRub ?? 0), 0);
  expect(await expectBalanced(opened, openingRub)).toBeCloseTo(keptRub + chatRub, 6);
  expect(await balanceOf(opened)).toBeGreaterThanOrEqual(0);
  const refunds = records.flatMap(({ refundOf }) => (refundOf === undefined ? [] : [refundOf]));
  expect(new Set(refunds).size).toBe(refunds.length);
  expect(taken.generated.size).toBeGreaterThan(10);
  expect(taken.images.size).toBeGreaterThan(5);
});
