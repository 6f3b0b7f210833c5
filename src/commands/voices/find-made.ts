/** Finds the voice whose answer got lost, by what the list of voices did not hold before. */
import { listVoices, type Voice } from '../../api/voices.js';
import type { Client } from '../../api/client.js';
import { OutcomeUnknown } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';

/** How long to wait before each look, in milliseconds: the service may still be at work. */
const looksAfterMs = [0, 2000, 5000] as const;

export interface Lost {
  readonly name: string;
  /** The voices that were there before it was asked for. */
  readonly before: readonly Voice[];
  /** Why there is no answer. */
  readonly cause: Error;
}

/**
 * The voice that this can only be.
 * @throws OutcomeUnknown when none has appeared, several have, or nobody could be asked.
 */
export async function findMade(client: Client, lost: Lost): Promise<Voice> {
  const known = new Set(lost.before.map(({ id }) => id));
  for (const waitMs of looksAfterMs) {
    if (waitMs > 0) await client.clock.sleep(waitMs, client.signal);
    const found = (await look(client, lost)).filter(
      ({ id, name }) => !known.has(id) && isCalled(name, lost.name),
    );
    const [only, ...others] = found;
    if (others.length > 0) throw several(found, lost);
    if (only) return only;
  }
  throw unknown('no voice of that name has appeared', lost);
}

async function look(client: Client, lost: Lost): Promise<readonly Voice[]> {
  try {
    return (await listVoices(client)).voices;
  } catch (error) {
    if (client.signal.aborted) throw error;
    throw unknown('the list of voices could not be asked for', lost);
  }
}

/** A service may trim what it was given. */
function isCalled(name: string | null | undefined, wanted: string): boolean {
  return name === null || name === undefined || name.trim() === wanted.trim();
}

function unknown(what: string, { cause }: Lost): OutcomeUnknown {
  return new OutcomeUnknown(`${cause.message}; ${what}`, {
    code: 'voice_unknown',
    hint: 'look again before you send it again: `svc voices list`; a voice that is there was charged',
    cause,
  });
}

function several(found: readonly Voice[], { cause }: Lost): OutcomeUnknown {
  const ids = found.map(({ id }) => plainText(id, 40)).join(', ');
  return new OutcomeUnknown(`${cause.message}; the voice may be any of ${ids}`, {
    code: 'several_candidates',
    hint: 'see when each was made: `svc voices list --json`',
    cause,
  });
}
