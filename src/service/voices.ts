/** Cloned voices (sections 2.14 and 4.5). */
import * as z from 'zod/mini';
import { voiceEngines } from '../contract/enums.js';
import { voice as limits } from '../contract/limits.js';
import { recordOf } from '../lib/json.js';
import { dateOf, json, type Call, type App, type Reply } from './call.js';
import { charge, newUsage, toMicroRub, toRub } from './charge.js';
import { assertHolds, ServiceFailure } from './failure.js';
import { claimOf, earlierResult, once, type Claim } from './idempotency.js';
import { voice as voiceModel } from './media/engines/sound.js';
import { parse } from './body.js';
import { admit, waitFor } from './store/accounts.js';
import type { NewRow } from './store/table.js';
import { voices, type Voice } from './store/tables.js';
import { nextChargeAtMs, pricing, terms, voiceSlots } from './voices/fees.js';
import { assertTotals, measureSamples, noSamples, sum, type Sample } from './voices/recordings.js';

const pace = {
  action: 'voice-samples',
  max: limits.additionsPerDay,
  windowMs: 24 * 60 * 60 * 1000,
} as const;

/** GET /api/media/voices, in the order of their creation */
export function list({ app, caller }: Call): Reply {
  const own = voices.all(app.store, { accountId: caller.accountId }, 'ORDER BY seq');
  return json({ voices: own.map(viewOf), pricing: pricing() });
}

const Made = z.object({ usageId: z.string(), body: z.unknown() });

export async function create(call: Call): Promise<Reply> {
  const content = await call.json();
  const request = readCreateRequest(content);
  const claim = claimOf(call, 'voices.create', content);
  const made = earlierResult(call.app, claim) ?? (await make(call, claim, request));
  const { usageId, body } = Made.parse(JSON.parse(made));
  call.usageId = usageId;
  return json(body, 201);
}

async function make(
  call: Call,
  claim: Claim,
  { name, engine, samples }: ReturnType<typeof readCreateRequest>,
): Promise<string> {
  const { app } = call;
  const { accountId, keyHash } = call.caller;
  assertSlot(app, accountId);
  const measured = await measureSamples(call, samples, noSamples);
  const { creationRub, monthlyRub, minSeconds } = terms[engine];
  const has = `the recordings are ${measured.sampleMs / 1000} seconds long in all`;
  const tooShort = `${has}, and the engine ${engine} needs at least ${minSeconds}`;
  assertHolds(measured.sampleMs >= minSeconds * 1000, 422, 'voice_samples_invalid', tooShort);
  const createdAtMs = app.clock.now();
  const voice = {
    id: `voice_${app.newId().slice(0, 20)}`,
    accountId,
    keyHash,
    name,
    engine,
    ...measured,
    monthlyMicroRub: toMicroRub(monthlyRub),
    createdAtMs,
    nextChargeAtMs: nextChargeAtMs({ createdAtMs }, createdAtMs),
  };
  const [model, priceMicroRub] = [voiceModel.id, toMicroRub(creationRub)];
  const usage = newUsage(app, { model, route: ':clone', priceMicroRub, createdAtMs });
  return once(app, claim, () => {
    assertSlot(app, accountId);
    charge(call, usage, 'voice');
    voices.insert(app.store, voice);
    const charged = { amount: creationRub, currency: 'RUB' };
    return JSON.stringify({ usageId: usage.id, body: { ok: true, voice: viewOf(voice), charged } });
  });
}

export function remove(call: Call): Reply {
  const id = call.param('id');
  const count = voices.remove(call.app.store, { id, accountId: call.caller.accountId });
  assertHolds(count > 0, 404, 'voice_not_found', noVoice);
  return json({ ok: true, id, deleted: true });
}

export async function addSamples(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const { store, clock } = app;
  const { accountId } = caller;
  const id = call.param('id');
  const known = growing(app, accountId, id);
  // Before reading the body, which may be large.
  assertPace(waitFor(store, clock, accountId, pace));
  const { samples } = fitting(AddShape, await call.json());
  if (samples.length === 0) throw unfit('samples must have at least one recording', 'samples');
  const newSamples = samples.map((one, at) => sampleOf(one, `samples[${at}]`));
  const added = await measureSamples(call, newSamples, known);
  const voice = store.transaction(() => {
    // Another call may have been faster.
    const before = growing(app, accountId, id);
    const grown = sum(before, added);
    assertTotals(grown);
    assertPace(admit(store, clock, accountId, pace));
    const refusing = ':refusing';
    const message = `the supplier refuses all recordings for a voice whose name ends in ${refusing}; the voice is unchanged`;
    assertHolds(!before.name.endsWith(refusing), 502, 'voice_samples_failed', message);
    voices.update(store, { id }, grown);
    return { ...before, ...grown };
  });
  return json({
    ok: true,
    voice: viewOf(voice),
    samples_added: added.sampleCount,
    sample_count: voice.sampleCount,
  });
}

function growing({ store }: App, accountId: string, id: string): Voice {
  const voice = voices.find(store, { id, accountId });
  assertHolds(voice, 404, 'voice_not_found', noVoice);
  const message = `a voice of the engine ${voice.engine} does not accept more recordings`;
  assertHolds(terms[voice.engine].takesSeveral, 409, 'voice_samples_unsupported', message);
  return voice;
}

function assertPace(waitMs: number | undefined): void {
  if (waitMs === undefined) return;
  const message = `recordings can be added at most ${pace.max} times in 24 hours; try again later`;
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) };
  throw new ServiceFailure(429, 'voice_samples_rate_limited', message, { headers });
}

function assertSlot({ store }: App, accountId: string): void {
  const message = `the account has ${voiceSlots} voices, the maximum: delete one first`;
  const count = voices.count(store, { accountId });
  assertHolds(count < voiceSlots, 409, 'voice_slots_full', message);
}

const noVoice = 'there is no such voice';

function viewOf(voice: NewRow<Voice>) {
  const { lastUsedAtMs, deletionAtMs } = voice;
  return {
    id: voice.id,
    name: voice.name,
    engine: voice.engine,
    created_at: dateOf(voice.createdAtMs),
    sample_seconds: voice.sampleMs / 1000,
    last_used_at: dateOf(lastUsedAtMs),
    monthly_fee: { amount: toRub(voice.monthlyMicroRub), currency: 'RUB' },
    next_charge_at: dateOf(voice.nextChargeAtMs),
    status: deletionAtMs === undefined ? 'active' : 'unpaid',
    deletion_at: dateOf(deletionAtMs),
  };
}

const maxNameLength = 100;

const SampleShape = z.looseObject({
  audio_url: z.optional(z.string()),
  audio_base64: z.optional(z.string()),
});
const AddShape = z.looseObject({
  samples: z.array(SampleShape),
  remove_background_noise: z.optional(z.boolean()),
});
/** The contract's own schema would answer with other codes for recordings. */
const CreateShape = z.extend(SampleShape, {
  name: z.string().check(
    z.trim(),
    z.refine((name) => name.length > 0 && name.length <= maxNameLength && !/\p{Cc}/u.test(name), {
      error: `must be 1 to ${maxNameLength} characters, without control characters`,
    }),
  ),
  consent: z.literal(true, { error: 'must be true: the speaker must agree to being cloned' }),
  engine: z._default(z.enum(voiceEngines), 'standard'),
  samples: z.optional(AddShape.shape.samples),
  remove_background_noise: z.optional(z.boolean()),
});

/** The body of POST /api/media/voices; a misfit is a 422 (section 7). */
function readCreateRequest(content: unknown) {
  const { name, engine, ...body } = fitting(CreateShape, content);
  const isSingle = (body.audio_url ?? body.audio_base64) !== undefined;
  const own = isSingle ? [sampleOf(body, 'the recording')] : [];
  const several = body.samples ?? [];
  const samples = [...own, ...several.map((one, at) => sampleOf(one, `samples[${at}]`))];
  if (samples.length === 0) {
    const message = 'the request has no recording: give audio_url, audio_base64 or samples';
    throw unfit(message, 'samples');
  }
  if (samples.length > 1 && engine !== 'extvoice' && samples.length <= limits.samples.max) {
    const message = `only the engine extvoice accepts more than one recording, not ${engine}`;
    throw unfit(message, 'engine');
  }
  return { name, engine, samples };
}

function sampleOf(sample: z.output<typeof SampleShape>, place: string): Sample {
  const { audio_url: url, audio_base64: base64 } = sample;
  if ((url === undefined) === (base64 === undefined)) {
    throw unfit(`${place} must have exactly one of audio_url and audio_base64`, place);
  }
  return { place, url, base64 };
}

function fitting<Schema extends z.ZodMiniType>(schema: Schema, body: unknown): z.output<Schema> {
  try {
    return parse(schema, recordOf(body));
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    throw unfit(error.message, error.details.param);
  }
}

function unfit(message: string, param?: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_request_invalid', message, { param });
}
