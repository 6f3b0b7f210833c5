/**
 * What is known of a model, from the service or from what it told within the last hour, and what
 * --help adds for it: its options, as the service describes them.
 */
import {
  capabilityOf,
  fetchCapabilities,
  idsOf,
  type Capability,
  type Operation,
} from '../../api/media/capabilities.js';
import type { Handler } from '../../cli/declaration.js';
import { ApiError, ConfigError, SvcError } from '../../errors.js';
import { openJobs, type JobWorld } from '../../jobs/job.js';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { nearest } from '../../lib/nearest.js';
import { plainText } from '../../lib/plain-text.js';
import { keepCapabilities, readCapabilities } from '../../state/capability-cache.js';
import type { generate } from './index.js';
import { defaultWords, needs, optionsOf, plain, typeWords, type KnownOption } from './schema.js';

const freshMs = 60 * 60_000;

export interface Asking extends Pick<JobWorld, 'context' | 'client' | 'account'> {
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

/** Help is given also where nothing can be asked: then a note says why this part is missing. */
export const run: Handler<typeof generate> = async (context, { args: { model }, options }) => {
  const { out } = context;
  try {
    const asking = { ...(await openJobs(context)), refresh: options.refresh === true };
    const known = await knownModel(asking, model);
    await out.text(modelHelp(model, known));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const how = error instanceof ConfigError ? '; --local shows those of its own models' : '';
    out.note(`the options of ${model} cannot be told: ${error.message}${how}`);
  }
};

/** The part of the help that is about one model. */
export function modelHelp(model: string, { capability, similar }: Known): string {
  if (!capability) {
    const guess = similar === undefined ? '' : ` Did you mean ${similar}?`;
    return `The service describes no media model ${plainText(model, 100)}.${guess}\n`;
  }
  const { id, entry, operations } = capability;
  const facts = [
    ['Kind', capability.kind],
    ['About', textOf(entry['description']) ?? textOf(entry['title'])],
    ['Availability', words(entry['availability'])],
    ['Price', priceWords(entry)],
    ['Variants', variantWords(entry)],
  ].flatMap(([name, value]) =>
    value ? [`  ${`${name ?? ''}:`.padEnd(15)}${plainText(value, 300)}`] : [],
  );
  const parts = operations.map((operation) => operationHelp(operation, operations.length > 1));
  const none = operations.length === 0 ? ['  Its options are not described; --opt takes any.'] : [];
  return [`${plainText(id, 100)}:`, ...facts, ...none, ...parts].join('\n').concat('\n');
}

function operationHelp({ name, schema }: Operation, isNamed: boolean): string {
  const options = optionsOf(schema);
  const title = isNamed && name !== undefined ? `Options to ${plainText(name, 60)}` : 'Options';
  const prompt = needs(schema, 'prompt') ? 'A prompt is needed.' : 'The prompt may be left out.';
  if (options.length === 0) return `\n${title}: none. ${prompt}`;
  // Not as arguments: there may be more options than a call can take.
  const width = options.reduce((most, option) => Math.max(most, shownName(option).length), 0);
  const lines = options.map((option) => optionLines(option, schema, width + 4));
  return [`\n${title} (--opt NAME=VALUE):`, ...lines, `  ${prompt}`].join('\n');
}

function optionLines(option: KnownOption, root: JsonRecord, indent: number): string {
  const fallback = defaultWords(option);
  const notes = [
    ...(option.isRequired ? ['needed'] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  const type = typeWords(option, root) + (notes.length === 0 ? '' : ` (${notes.join(', ')})`);
  const about = option.schemas
    .map((schema) => textOf(schema['description']) ?? textOf(schema['title']))
    .find(Boolean);
  const first = `  ${shownName(option).padEnd(indent - 2)}${type}`;
  return about === undefined ? first : `${first}\n${' '.repeat(indent)}${plainText(about, 200)}`;
}

function shownName({ name }: KnownOption): string {
  return plainText(name, 60);
}

/** Section 2.11 names a price status and does not show its field. */
function priceWords(entry: JsonRecord): string | undefined {
  return ['priceStatus', 'price_status', 'price', 'pricing']
    .map((key) => words(entry[key]))
    .find(Boolean);
}

function variantWords(entry: JsonRecord): string | undefined {
  const variants = listOf(entry['providerVariants']).map(
    (variant) =>
      textOf(variant) ?? textOf(recordOf(variant)['id']) ?? textOf(recordOf(variant)['alias']),
  );
  return variants.filter((variant) => variant !== undefined).join(', ') || undefined;
}

/** Whatever comes, on one line: `status exact, fromRub 0.6, axes quality, size`. */
function words(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value))
    return listOf(value)
      .map((item) => words(item) ?? '')
      .join(', ');
  if (!isRecord(value)) return plain(value);
  return Object.entries(value)
    .flatMap(([name, inner]) =>
      words(inner) === undefined ? [] : [`${name} ${words(inner) ?? ''}`],
    )
    .join(', ');
}
