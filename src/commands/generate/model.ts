/** What is known about a model, at most an hour old, and what --help says about it. */
import {
  capabilityOf,
  fetchCapabilities,
  idsOf,
  type Capability,
  type Operation,
} from '../../api/media/capabilities.js';
import type { Handler } from '../../cli/declaration.js';
import { mediaKinds } from '../../contract/enums.js';
import { ApiError, ConfigError, SvcError } from '../../errors.js';
import { openJobs, type JobEnv } from '../../jobs/job.js';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { capabilityCache } from '../../state/small-files.js';
import { modelFor } from '../known-model.js';
import type { generate } from './index.js';
import { needs, optionsOf, plain, typeWords } from './schema.js';

const freshMs = 60 * 60_000;

/** The model of that name, or else the default of that kind, and what the service says of it. */
export async function knownModel(
  { context, client, account }: Pick<JobEnv, 'context' | 'client' | 'account'>,
  name: string,
  refresh = false,
): Promise<{ model: string; capability?: Capability; similar?: string }> {
  const { clock, flags, out, paths } = context;
  const kind = mediaKinds.find((one) => one === name);
  const knownIn = async (models: readonly JsonRecord[]) => {
    const named = capabilityOf(models, name);
    const model = named || !kind ? name : await modelFor(context, undefined, kind);
    return { model, capability: named ?? capabilityOf(models, model) };
  };
  // The embedded service answers from memory, and changes with svc.
  const cache = flags.local ? undefined : capabilityCache(paths, account);
  const kept = cache?.read();
  const ageMs = clock.now() - (kept?.fetchedAtMs ?? 0);
  const isFresh = !refresh && ageMs >= 0 && ageMs < freshMs;
  const fresh = kept && isFresh ? kept.models : [];
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
    models = kept?.models ?? [];
  }
  const known = await knownIn(models);
  if (known.capability) return known;
  const similar = nearest(known.model, models.flatMap(idsOf));
  return { ...known, similar: similar && plainText(similar, 100) };
}

/** Help is shown even if the service cannot be asked: a note says why this part is missing. */
export const run: Handler<typeof generate> = async (context, { args: { model }, options }) => {
  const { out } = context;
  try {
    const known = await knownModel(await openJobs(context), model, options.refresh);
    await out.text(modelHelp(known.model, known));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const how = error instanceof ConfigError ? '; --local shows those of the local models' : '';
    out.note(`the options of ${model} are unknown: ${error.message}${how}`);
  }
};

export function modelHelp(
  model: string,
  { capability, similar }: { capability?: Capability; similar?: string },
): string {
  if (!capability) {
    const guess = similar === undefined ? '' : ` Did you mean ${similar}?`;
    return `The service has no media model ${plainText(model, 100)}.${guess}\n`;
  }
  const { id, kind, entry, operations } = capability;
  const wordsAt = (field: string) => words(entry[field]);
  const variants = listOf(entry['providerVariants']).flatMap((variant) => {
    const { id: variantId, alias } = recordOf(variant);
    return textOf(variant) ?? textOf(variantId) ?? textOf(alias) ?? [];
  });
  const facts = Object.entries({
    Kind: kind,
    About: aboutOf(entry),
    Availability: wordsAt('availability'),
    // Section 2.11 names a price status and does not show its field.
    Price: ['priceStatus', 'price_status', 'price', 'pricing'].map(wordsAt).find(Boolean),
    Variants: variants.join(', '),
  }).flatMap(([name, value]) =>
    value ? `  ${`${name}:`.padEnd(15)}${plainText(value, 300)}` : [],
  );
  const none =
    operations.length === 0 ? ['  Its options are not described; --opt accepts any.'] : [];
  const parts = operations.map((operation) => operationHelp(operation, operations.length > 1));
  return [`${plainText(id, 100)}:`, ...facts, ...none, ...parts].join('\n').concat('\n');
}

function operationHelp({ name, schema }: Operation, isNamed: boolean): string {
  const options = optionsOf([schema]).map((option) => ({
    ...option,
    name: plainText(option.name, 60),
  }));
  const title = isNamed && name !== undefined ? `Options to ${plainText(name, 60)}` : 'Options';
  const prompt = needs(schema, 'prompt') ? 'A prompt is required.' : 'The prompt is optional.';
  if (options.length === 0) return `\n${title}: none. ${prompt}`;
  // Not as arguments: there may be more options than a call can take.
  const width = options.reduce((most, option) => Math.max(most, option.name.length), 0);
  const lines = options.flatMap((option) => {
    const { name, schemas, isRequired } = option;
    const notes = isRequired ? ['required'] : [];
    const given = schemas.find((schema) => schema['default'] !== undefined);
    if (given) notes.push(`default: ${plainText(plain(given['default']), 80)}`);
    const type = typeWords(option) + (notes.length === 0 ? '' : ` (${notes.join(', ')})`);
    const first = `  ${name.padEnd(width + 2)}${type}`;
    const about = schemas.map(aboutOf).find(Boolean);
    return about ? [first, ' '.repeat(width + 4) + plainText(about, 200)] : [first];
  });
  return [`\n${title} (--opt NAME=VALUE):`, ...lines, `  ${prompt}`].join('\n');
}

const aboutOf = (holder: JsonRecord) => textOf(holder['description']) ?? textOf(holder['title']);

/** Any value, on one line: `status exact, fromRub 0.6, axes quality, size`. */
function words(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value)) return value.map((item) => words(item) ?? '').join(', ');
  if (!isRecord(value)) return plain(value);
  const parts = Object.entries(value).map(([name, inner]) => [name, words(inner)] as const);
  return parts.flatMap(([name, text]) => (text === undefined ? [] : `${name} ${text}`)).join(', ');
}
