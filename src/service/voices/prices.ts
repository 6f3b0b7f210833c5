/** What cloned voices cost here, and how many of them there may be. */
import type { voiceEngines } from '../../contract/enums.js';
import { rubPerThousandCharacters } from '../media/engines/sound.js';

export type VoiceEngine = (typeof voiceEngines)[number];

interface EngineTerms {
  /** Taken once, and pays for the first month as well. */
  readonly creationRub: number;
  readonly monthlyRub: number;
  /** All recordings together must be at least this long. */
  readonly minSeconds: number;
  /** Whether it takes more than one recording, and more of them later. */
  readonly takesSeveral: boolean;
}

export const terms: Readonly<Record<VoiceEngine, EngineTerms>> = {
  standard: { creationRub: 50, monthlyRub: 15, minSeconds: 1, takesSeveral: false },
  premium: { creationRub: 150, monthlyRub: 45, minSeconds: 5, takesSeveral: false },
  extvoice: { creationRub: 100, monthlyRub: 30, minSeconds: 3, takesSeveral: true },
};

/** How many voices an account can have. */
export const voiceSlots = 5;
/** How long an unpaid voice is kept, in milliseconds. */
export const unpaidMs = 7 * 24 * 60 * 60 * 1000;

/** The prices as GET /api/media/voices tells them. */
export function pricing() {
  const each = <Value>(value: (engine: EngineTerms) => Value) => ({
    standard: value(terms.standard),
    premium: value(terms.premium),
    extvoice: value(terms.extvoice),
  });
  return {
    currency: 'RUB',
    creation: each(({ creationRub }) => creationRub),
    storage: { period: 'month', ...each(({ monthlyRub }) => monthlyRub) },
    synthesis: { unit: '1000 characters', ...each(() => rubPerThousandCharacters) },
    minimum_seconds: each(({ minSeconds }) => minSeconds),
    slots: voiceSlots,
  };
}
