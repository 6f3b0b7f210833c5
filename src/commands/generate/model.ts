/** What is known of a model: from the service, or from what it told within the last hour. */
import {
  capabilityOf,
  fetchCapabilities,
  idsOf,
  type Capability,
} from '../../api/media/capabilities.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../cli/context.js';
import { ApiError } from '../../errors.js';
import { nearest } from '../../lib/names.js';
import type { JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import type { Account } from '../../state/account.js';
import { keepCapabilities, readCapabilities } from '../../state/capability-cache.js';

const freshMs = 60 * 60_000;

export interface Asking {
  readonly context: Context;
  readonly client: Client;
  readonly account: Account;
  /** Ask anew, however fresh the answer at hand is. */
  readonly refresh: boolean;
}

export interface Known {
  /** Undefined when the service does not describe the model. */
  readonly capability: Capability | undefined;
  /** A name that may have been meant. */
  readonly similar: string | undefined;
}

/** @throws what `call` throws, but for a service that cannot tell: then nothing is known. */
export async function knownModel(asking: Asking, id: string): Promise<Known> {
  const kept = keptModels(asking);
  const known = kept && capabilityOf(kept, id);
  // A model that is new since then is asked for at once.
  if (known) return { capability: known, similar: undefined };
  const models = await askedModels(asking);
  const capability = capabilityOf(models, id);
  const similar = capability ? undefined : nearest(id, models.flatMap(idsOf));
  return { capability, similar: similar && plainText(similar, 100) };
}

function keptModels({ context, account, refresh }: Asking): readonly JsonRecord[] | undefined {
  // The embedded service answers from memory, and changes with svc.
  if (refresh || context.flags.local) return undefined;
  const kept = readCapabilities(context.paths, account);
  if (!kept) return undefined;
  const ageMs = context.clock.now() - kept.fetchedAtMs;
  return ageMs >= 0 && ageMs < freshMs ? kept.models : undefined;
}

async function askedModels({ context, client, account }: Asking): Promise<readonly JsonRecord[]> {
  // A dry run sends nothing, so nobody can be asked.
  if (context.flags.dryRun || context.flags.curl) return [];
  try {
    const models = await fetchCapabilities(client);
    const fetchedAtMs = context.clock.now();
    if (!context.flags.local) keepCapabilities(context.paths, account, { models, fetchedAtMs });
    return models;
  } catch (error) {
    if (!cannotTell(error)) throw error;
    context.out.note(`what the model takes is not known now: ${error.message}`);
    return readCapabilities(context.paths, account)?.models ?? [];
  }
}

/** A service without that list, or whose list is out of order, may take jobs all the same. */
function cannotTell(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { status, code } = error;
  return status === 404 || status === 405 || status >= 500 || code === 'invalid_reply';
}
