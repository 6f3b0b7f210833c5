/** The costs of cloned voices, and who may use them. The first call charges due fees. */
import { voice as limits } from '../../contract/limits.js';
import type { App } from '../call.js';
import { newUsage } from '../charge.js';
import { ServiceFailure } from '../failure.js';
import { rubPerThousandCharacters, voice as voiceModel } from '../media/engines/sound.js';
import { voices, type Voice } from '../store/tables.js';
import { debit } from '../store/usage.js';

/** The prices of each engine: once, including the first month, then per month; and its limits. */
export const terms = {
  standard: { creationRub: 50, monthlyRub: 15, minSeconds: 1, takesSeveral: false },
  premium: { creationRub: 150, monthlyRub: 45, minSeconds: 5, takesSeveral: false },
  extvoice: { creationRub: 100, monthlyRub: 30, minSeconds: 3, takesSeveral: true },
} as const;

export const voiceSlots = 5;
const unpaidMs = 7 * 24 * 60 * 60 * 1000;

export function pricing() {
  type Terms = (typeof terms)[Voice['engine']];
  const each = (value: (one: Terms) => number) =>
    Object.fromEntries(Object.entries(terms).map(([engine, one]) => [engine, value(one)]));
  return {
    currency: 'RUB',
    creation: each(({ creationRub }) => creationRub),
    storage: { period: 'month', ...each(({ monthlyRub }) => monthlyRub) },
    synthesis: { unit: '1000 characters', ...each(() => rubPerThousandCharacters) },
    minimum_seconds: each(({ minSeconds }) => minSeconds),
    slots: voiceSlots,
  };
}

/** The time of a monthly fee: the same day of a later month, or its last day. */
export function monthlyChargeAtMs(createdAtMs: number, months: number): number {
  const created = new Date(createdAtMs);
  const [year, month] = [created.getUTCFullYear(), created.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(createdAtMs).setUTCFullYear(year, month, Math.min(created.getUTCDate(), lastDay));
}

export function nextChargeAtMs({ createdAtMs }: Pick<Voice, 'createdAtMs'>, afterMs: number) {
  let months = 1;
  while (monthlyChargeAtMs(createdAtMs, months) <= afterMs) months += 1;
  return monthlyChargeAtMs(createdAtMs, months);
}

/** Records what has become due for an account's voices: charged, unpaid or deleted. */
export function chargeVoices(app: App, accountId: string): void {
  const { store, clock } = app;
  const nextAtMs = 'coalesce(next_charge_at_ms, deletion_at_ms)';
  const isDue = `AND ${nextAtMs} <= ? ORDER BY ${nextAtMs}, seq LIMIT 1`;
  const isUnpaid = 'AND deletion_at_ms IS NOT NULL ORDER BY deletion_at_ms, seq';
  store.transaction(() => {
    const nowMs = clock.now();
    for (;;) {
      const voice = voices.find(store, { accountId }, isDue, nowMs);
      if (!voice) break;
      const { id, nextChargeAtMs: dueMs } = voice;
      if (dueMs === undefined) voices.remove(store, { id });
      else if (!chargeMonth(app, voice, dueMs)) {
        const deletionAtMs = dueMs + unpaidMs;
        voices.update(store, { id }, { nextChargeAtMs: undefined, deletionAtMs });
      }
    }
    // The balance may have grown by the refund of a failed job.
    for (const voice of voices.all(store, { accountId }, isUnpaid)) {
      chargeMonth(app, voice, nowMs);
    }
  });
}

/** Charges a monthly fee if the balance suffices. @returns whether it did */
function chargeMonth(app: App, voice: Voice, createdAtMs: number): boolean {
  const { id, monthlyMicroRub: priceMicroRub } = voice;
  const facts = { model: voiceModel.id, route: ':storage', priceMicroRub, createdAtMs };
  if (!debit(app.store, voice, newUsage(app, facts))) return false;
  const paid = { nextChargeAtMs: nextChargeAtMs(voice, createdAtMs), deletionAtMs: undefined };
  voices.update(app.store, { id }, paid);
  return true;
}

/** The voice of an account exists and is paid; the built-in ones always are. */
export function assertVoice(
  { store }: App,
  accountId: string,
  id: string,
  { status, param }: { readonly status: 400 | 422; readonly param: string },
): void {
  if (!limits.id.test(id)) return;
  const voice = voices.find(store, { id, accountId });
  if (!voice) {
    const message = `the account has no voice ${id}; GET /api/media/voices lists those it has`;
    throw new ServiceFailure(status, 'voice_not_found', message, { param });
  }
  if (voice.deletionAtMs === undefined) return;
  const deletion = new Date(voice.deletionAtMs).toISOString();
  const message = `the monthly fee of the voice ${id} is unpaid: it cannot speak and will be deleted at ${deletion}`;
  throw new ServiceFailure(402, 'voice_unpaid', message, { param });
}

export function noteUse({ store, clock }: App, id: string): void {
  if (limits.id.test(id)) voices.update(store, { id }, { lastUsedAtMs: clock.now() });
}
