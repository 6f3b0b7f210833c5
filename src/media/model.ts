/** What is known about a model, at most an hour old. */
import { capabilityOf, fetchCapabilities, idsOf } from '../api/media/capabilities.js';
import type { Capability } from '../api/media/capabilities.js';
import { mediaKinds } from '../contract/enums.js';
import { ApiError } from '../errors.js';
import type { JobEnv } from '../jobs/job.js';
import type { JsonRecord } from '../lib/json.js';
import { capabilityCache } from '../state/small-files.js';
import { guessFor, modelFor } from '../jobs/known-model.js';

const freshMs = 60 * 60_000;

/** A model that a line names. */
export interface KnownModel {
  readonly model: string;
  /** What the service says of it. */
  readonly capability?: Capability | undefined;
  /** Of an unknown one, the names that are probably meant: `did you mean local/canvas?`. */
  readonly guess?: string;
}

/** The model of that name, or else the default of that kind, and what the service says of it. */
export async function knownModel(
  { context, client, account }: Pick<JobEnv, 'context' | 'client' | 'account'>,
  name: string,
  refresh = false,
): Promise<KnownModel> {
  const { clock, flags, out, paths } = context;
  const kind = mediaKinds.find((one) => one === name);
  const knownIn = async (models: readonly JsonRecord[]) => {
    const named = capabilityOf(models, name);
    const model = named || !kind ? name : await modelFor(context, undefined, kind);
    return { model, capability: named ?? capabilityOf(models, model) };
  };
  // The embedded service answers from memory, and changes with svc.
  const isAsked = flags.local || client.tape;
  const cache = isAsked ? undefined : capabilityCache(paths, account);
  const cached = cache?.read();
  const ageMs = clock.now() - (cached?.fetchedAtMs ?? 0);
  const isFresh = !refresh && ageMs >= 0 && ageMs < freshMs;
  const fresh = cached && isFresh ? cached.models : [];
  if (fresh.length > 0 || flags.dryRun) {
    const known = await knownIn(fresh);
    // A model that is new since then is asked for at once; a dry run sends nothing.
    if (known.capability || flags.dryRun) return known;
  }
  let models: readonly JsonRecord[];
  try {
    models = await fetchCapabilities(client);
    cache?.keep({ models, fetchedAtMs: clock.now() });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A service without that list, or with a broken one, may still accept jobs.
    const { code, message, status } = error;
    const isMissing = [404, 405].includes(status) || status >= 500 || code === 'invalid_reply';
    if (!isMissing) throw error;
    out.note(`the options of the model are unknown: ${message}`);
    models = cached?.models ?? [];
  }
  const known = await knownIn(models);
  return known.capability
    ? known
    : { ...known, guess: guessFor(known.model, models.flatMap(idsOf)) };
}
