/** Cloned voices (sections 2.14 and 4.5). */
import * as z from 'zod/mini';
import { voice as limits } from '../contract/limits.js';
import { json, type Call, type House } from './call.js';
import { charge, newUsage, recordHeader } from './charge.js';
import { ServiceFailure } from './failure.js';
import { claimOf, earlier, once, type Claim } from './idempotency.js';
import { voice as voiceModel } from './media/engines/sound.js';
import { toMicroRub, toRub } from './money.js';
import { admitWithin, waitFor } from './store/admissions.js';
import {
  addVoice,
  countVoices,
  findVoice,
  growVoice,
  removeVoice,
  voicesOf,
  type NewVoice,
  type Voice,
} from './store/voices.js';
import { nextChargeAtMs } from './voices/fees.js';
import { pricing, terms, voiceSlots } from './voices/prices.js';
import { InlineRecordings } from './voices/inline.js';
import { demandTotals, measureSamples, nothing, sum, type Desk } from './voices/recordings.js';
import { readAddRequest, readCreateRequest, type VoiceWish } from './voices/request.js';
import { demandAccepted } from './voices/supplier.js';

const pace = {
  action: 'voice-samples',
  most: limits.additionsPerDay,
  windowMs: 24 * 60 * 60 * 1000,
} as const;

/** GET /api/media/voices */
export function list({ house, caller }: Call): Response {
  return json({
    voices: voicesOf(house.store, caller.accountId).map(viewOf),
    pricing: pricing(),
  });
}

/** What a voice was made with, and answered with. */
const Made = z.object({ usageId: z.string(), body: z.unknown() });

/** POST /api/media/voices */
export async function create(call: Call): Promise<Response> {
  const { house } = call;
  const made = await withRecordings(call, async (desk, asked) => {
    const wish = readCreateRequest(asked);
    const claim = claimOf(call, 'voices.create', asked);
    return earlier(house, claim) ?? (await make(call, claim, desk, wish));
  });
  const { usageId, body } = Made.parse(JSON.parse(made));
  return json(body, 201, recordHeader(house, usageId));
}

/** The voice, its price and its record in one transaction. */
async function make(
  { house, caller }: Call,
  claim: Claim,
  desk: Desk,
  { name, engine, samples }: VoiceWish,
): Promise<string> {
  demandSlot(house, caller.accountId);
  const measured = await measureSamples(desk, samples, nothing);
  const { creationRub, monthlyRub, minSeconds } = terms[engine];
  if (measured.milliseconds < minSeconds * 1000) {
    throw new ServiceFailure(
      422,
      'voice_samples_invalid',
      `the recordings have ${measured.milliseconds / 1000} seconds in all, and the engine ${engine} needs at least ${minSeconds}`,
    );
  }
  const createdAtMs = house.clock.now();
  const voice: NewVoice = {
    id: newVoiceId(house),
    accountId: caller.accountId,
    keyHash: caller.keyHash,
    name,
    engine,
    samples: measured,
    monthlyMicroRub: toMicroRub(monthlyRub),
    createdAtMs,
    nextChargeAtMs: nextChargeAtMs({ createdAtMs }, createdAtMs),
  };
  const [model, priceMicroRub] = [voiceModel.id, toMicroRub(creationRub)];
  const usage = newUsage(house, { model, route: ':clone', priceMicroRub, createdAtMs });
  return once(house, claim, () => {
    demandSlot(house, caller.accountId);
    charge({ house, caller }, usage, 'voice');
    addVoice(house.store, voice);
    const charged = { amount: creationRub, currency: 'RUB' };
    return JSON.stringify({ usageId: usage.id, body: { ok: true, voice: viewOf(voice), charged } });
  });
}

/** DELETE /api/media/voices/{id} */
export function remove(call: Call): Response {
  const { house, caller } = call;
  const id = call.param('id');
  if (!removeVoice(house.store, caller.accountId, id)) throw notFound();
  return json({ ok: true, id, deleted: true });
}

/** POST /api/media/voices/{id}/samples */
export async function addSamples(call: Call): Promise<Response> {
  const { house, caller } = call;
  const { store, clock } = house;
  const { accountId } = caller;
  const id = call.param('id');
  const { samples: known } = demandGrowing(house, accountId, id);
  // Before the body is read, which may be large.
  demandPace(store.transaction(() => waitFor(store, clock, accountId, pace)));
  const added = await withRecordings(call, (desk, asked) =>
    measureSamples(desk, readAddRequest(asked), known),
  );
  const voice = store.transaction(() => {
    // Another call may have been faster.
    const voice = demandGrowing(house, accountId, id);
    demandTotals(sum(voice.samples, added));
    demandPace(admitWithin(store, clock, accountId, pace));
    demandAccepted(voice);
    growVoice(store, id, added);
    return demandGrowing(house, accountId, id);
  });
  return json({
    ok: true,
    voice: viewOf(voice),
    samples_added: added.count,
    sample_count: voice.samples.count,
  });
}

/** Reads the body, whose recordings are there until `work` is done. */
async function withRecordings<Result>(
  call: Call,
  work: (desk: Desk, asked: unknown) => Promise<Result>,
): Promise<Result> {
  const inline = new InlineRecordings(call.house);
  try {
    const asked = await inline.readBody(call);
    return await work({ house: call.house, inline, signal: call.request.signal }, asked);
  } finally {
    await inline.close();
  }
}

/** The account's own voice, of an engine that takes more recordings. */
function demandGrowing({ store }: House, accountId: string, id: string): Voice {
  const voice = findVoice(store, accountId, id);
  if (!voice) throw notFound();
  if (terms[voice.engine].takesSeveral) return voice;
  throw new ServiceFailure(
    409,
    'voice_samples_unsupported',
    `a voice of the engine ${voice.engine} takes no further recordings`,
  );
}

function demandPace(waitMs: number | undefined): void {
  if (waitMs === undefined) return;
  throw new ServiceFailure(
    429,
    'voice_samples_rate_limited',
    `recordings can be added ${pace.most} times in 24 hours; the next time is not yet`,
    { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } },
  );
}

function demandSlot({ store }: House, accountId: string): void {
  if (countVoices(store, accountId) < voiceSlots) return;
  throw new ServiceFailure(
    409,
    'voice_slots_full',
    `the account has ${voiceSlots} voices, and no room for another: delete one first`,
  );
}

function notFound(): ServiceFailure {
  return new ServiceFailure(404, 'voice_not_found', 'there is no such voice');
}

function newVoiceId({ newId }: House): string {
  const id = `voice_${newId().slice(0, 20)}`;
  if (!limits.id.test(id)) throw new Error('the id of a voice needs 20 letters or digits');
  return id;
}

function viewOf(voice: Voice | NewVoice) {
  const { lastUsedAtMs, deletionAtMs }: Partial<Voice> = voice;
  return {
    id: voice.id,
    name: voice.name,
    engine: voice.engine,
    created_at: time(voice.createdAtMs),
    sample_seconds: voice.samples.milliseconds / 1000,
    last_used_at: time(lastUsedAtMs),
    monthly_fee: { amount: toRub(voice.monthlyMicroRub), currency: 'RUB' },
    next_charge_at: time(voice.nextChargeAtMs),
    status: deletionAtMs === undefined ? 'active' : 'unpaid',
    deletion_at: time(deletionAtMs),
  };
}

function time(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
