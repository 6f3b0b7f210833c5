/**
 * The fees of voices. Nothing runs in the background: whoever looks first after a fee is due
 * writes it down, at the time when it was due, like the ends of jobs.
 */
import type { House } from '../call.js';
import {
  markPaid,
  markUnpaid,
  nextDueVoice,
  removeVoice,
  unpaidVoices,
  type Voice,
} from '../store/voices.js';
import { take } from '../store/usage.js';
import { newUsage } from '../charge.js';
import { voice as voiceModel } from '../media/engines/sound.js';
import { unpaidMs } from './prices.js';

/** The time of a month's fee: the same day of a later month, or the last one that it has. */
export function monthlyChargeAtMs(createdAtMs: number, months: number): number {
  const created = new Date(createdAtMs);
  const [year, month] = [created.getUTCFullYear(), created.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const at = new Date(createdAtMs);
  at.setUTCFullYear(year, month, Math.min(created.getUTCDate(), lastDay));
  return at.getTime();
}

/** The first monthly time after another. */
export function nextChargeAtMs({ createdAtMs }: Pick<Voice, 'createdAtMs'>, afterMs: number) {
  const [from, to] = [new Date(createdAtMs), new Date(afterMs)];
  const between =
    (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  let months = Math.max(1, between);
  while (monthlyChargeAtMs(createdAtMs, months) <= afterMs) months += 1;
  return monthlyChargeAtMs(createdAtMs, months);
}

/** Writes down all that time has done to an account's voices. */
export function settleVoices(house: House, accountId: string): void {
  const { store, clock } = house;
  store.transaction(() => {
    const nowMs = clock.now();
    for (;;) {
      const voice = nextDueVoice(store, accountId, nowMs);
      if (!voice) break;
      settleVoice(house, voice);
    }
    for (const voice of unpaidVoices(store, accountId)) payLate(house, voice, nowMs);
  });
}

/** Does what is due to one voice: it is charged, becomes unpaid, or is deleted. */
function settleVoice(house: House, voice: Voice): void {
  const { store } = house;
  const { id, accountId, nextChargeAtMs: dueMs } = voice;
  if (dueMs === undefined) removeVoice(store, accountId, id);
  else if (chargeMonth(house, voice, dueMs)) markPaid(store, id, nextChargeAtMs(voice, dueMs));
  else markUnpaid(store, id, dueMs + unpaidMs);
}

/** The balance may have grown: what a failed job cost comes back. */
function payLate(house: House, voice: Voice, nowMs: number): void {
  if (chargeMonth(house, voice, nowMs)) {
    markPaid(house.store, voice.id, nextChargeAtMs(voice, nowMs));
  }
}

function chargeMonth(house: House, voice: Voice, createdAtMs: number): boolean {
  const [model, priceMicroRub] = [voiceModel.id, voice.monthlyMicroRub];
  const usage = newUsage(house, { model, route: ':storage', priceMicroRub, createdAtMs });
  return take(house.store, voice, usage);
}
