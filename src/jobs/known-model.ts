/** Which model a command uses; an unknown one is refused before money or time is spent on it. */
import { withLimit, type Client } from '../api/client.js';
import { fits, usedKinds, type UsedKind } from '../api/model-facts.js';
import * as models from '../api/models.js';
import type { Context } from '../context.js';
import { ApiError, isRefusal, UsageError } from '../errors.js';
import { folded, nearestOf } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { accountFor } from '../state/account.js';
import type { Settings } from '../state/settings.js';
import { nameCache } from '../state/small-files.js';

/** The embedded service's model of each kind, and the list that shows such models. */
const kinds: Record<UsedKind, readonly [local: string, list: string]> = {
  chat: ['local/guide', 'list'],
  image: ['local/canvas', 'list --type image'],
  video: ['local/reel', 'list --type video'],
  music: ['local/tune', 'list --type music'],
  audio: ['local/voice', 'list --type audio'],
  '3d': ['local/mesh', 'list --type 3d'],
  speech: ['local/voice', 'list --type audio'],
  transcription: ['local/transcribe', 'list --type audio'],
  embedding: ['local/embed', 'list --type embedding'],
  decision: ['local/decide', 'list --type decision'],
};

/** The setting of a kind's default model. */
export const settingOf = (kind: UsedKind) =>
  kind === 'chat' ? 'model' : (`model.${kind}` as const);

/**
 * The model to use: the one given, or the default of its kind.
 * @param word of the prompt the first, which may be meant as one
 * @throws UsageError
 */
export async function modelFor(
  context: Context,
  given: string | undefined,
  kind: UsedKind,
  word = '',
): Promise<string> {
  const [model, ...others] = given === undefined ? await candidates(context, kind) : [given];
  if (model?.trim() && others.length === 0) return model;
  // Without a service, that error comes first.
  await context.client();
  const isModel = /^[\w.-]+\/[\w.:-]+$/.test(word);
  const [, list] = kinds[kind];
  const such =
    others.length > 0 ? `such as ${plainText([model, ...others].join(', '), 200)}; ` : '';
  const listed = isModel
    ? `${word} is a model: -m ${word}`
    : `${such}to list them: svc models ${list}`;
  const toSet = `svc config set ${settingOf(kind)} ${isModel ? word : 'MODEL'}`;
  const hint = `${listed}; to set a default: ${toSet}`;
  throw new UsageError(`no ${kind} model is set`, { code: 'no_model', hint });
}

/** The one that is set, or the only one of its kind: one rule for all commands. */
export async function defaultModel(
  context: Context,
  kind: UsedKind,
  settings?: Settings,
): Promise<string | undefined> {
  const [model, ...others] = await candidates(context, kind, settings);
  return others.length === 0 ? model : undefined;
}

/** The model that is set, or the cheapest of its kind. */
async function candidates(
  context: Context,
  kind: UsedKind,
  settings?: Settings,
): Promise<readonly string[]> {
  // A profile's models belong to another service than the embedded one.
  if (context.flags.local) return [kinds[kind][0]];
  const set = (settings ?? context.settings())[settingOf(kind)];
  if (set !== undefined) return [set];
  return (await cheapestModels(context, await context.client()))[kind] ?? [];
}

const freshMs = 60 * 60_000;

/** Up to three models of each kind; an only one needs no default. They are asked for once an hour. */
async function cheapestModels(
  context: Context,
  client: Client,
): Promise<Partial<Record<string, readonly string[]>>> {
  const { clock, flags, paths } = context;
  const cache = nameCache(paths, accountFor(context, client));
  const { names = [], cheapest = {}, cheapestAtMs = 0 } = cache.read() ?? {};
  if (flags.dryRun || Math.abs(clock.now() - cheapestAtMs) < freshMs) return cheapest;
  const { models: listed, isWhole } = await models.accountModels(client);
  // One of several may be the only one in the lists that came.
  if (!isWhole || listed.length === 0) return cheapest;
  const fresh = Object.fromEntries(
    usedKinds
      .map((kind) => [kind, listed.filter((one) => fits(kind, one)).slice(0, 3)] as const)
      .map(([kind, some]) => [kind, some.map(({ id }) => id)]),
  );
  const all = [...new Set([...names, ...listed.map(({ id }) => id)])];
  cache.keep({ names: all, cheapest: fresh, cheapestAtMs: clock.now() });
  return fresh;
}

/**
 * Asks the service only about a model that it has not named before. @returns whether it could be
 * checked. @throws UsageError for an unknown one
 */
export async function assertModel(
  context: Context,
  client: Client,
  model: string,
  kind?: 'embedding' | 'decision',
): Promise<boolean> {
  const { flags, paths } = context;
  // A dry run sends nothing, so the service cannot be asked.
  if (flags.dryRun) return false;
  // Nothing is remembered of the embedded service.
  const isAsked = flags.local || client.tape;
  const cache = isAsked ? undefined : nameCache(paths, accountFor(context, client));
  if (models.isModelName(model, cache?.read()?.names ?? [])) return true;
  const names = await models.modelNames(client, kind);
  if (names === undefined) return false;
  const isListed = models.isModelName(model, names);
  const isThere = isListed || (await models.isModelThere(client, model));
  const known = isThere && !isListed ? [...names, models.withoutChannel(model)] : names;
  cache?.keep({ ...cache.read(), names: known });
  if (!isThere) throw unknownModel(model, names);
  return true;
}

export function unknownModel(
  model: string,
  names: readonly string[],
  hint = 'see which there are: `svc models list`, `svc models pricing`',
): UsageError {
  const guess = guessFor(model, names);
  const end = guess && `; ${guess}`;
  return new UsageError(`no model is called ${JSON.stringify(plainText(model, 100))}${end}`, {
    code: 'unknown_model',
    hint,
  });
}

/** `did you mean local/guide?`, of up to three names; empty when none is close. */
export function guessFor(model: string, names: readonly string[]): string {
  // A name without its vendor is compared with names without theirs.
  const short = names.map((name) => name.slice(name.indexOf('/') + 1));
  const part = folded(model).toLowerCase();
  const ways = [
    nearestOf(model, names),
    nearestOf(model, short),
    names.filter((name) => part.length > 2 && folded(name).toLowerCase().includes(part)),
  ];
  const similar = new Set(ways.find((found) => found.length > 0));
  const words = Array.from(similar, (name) => plainText(name, 100))
    .slice(0, 3)
    .join(', ');
  return words === '' ? '' : `did you mean ${words.replace(/, ([^,]*)$/, ' or $1')}?`;
}

/** The service's refusal of a model, with a hint at the name that was probably meant. */
export async function withSimilarName(
  { flags, out }: Context,
  client: Client,
  model: string,
  error: unknown,
): Promise<unknown> {
  if (!isRefusal(error, 400, 404)) return error;
  // A script sends only the requests that it asks for.
  const mayAsk = flags.local || out.isErrorTerminal;
  if (!mayAsk || !isAboutModel(error)) return error;
  const names = await models.modelNames(withLimit(client, 3000)).catch(() => undefined);
  const guess = models.isModelName(model, names ?? []) ? '' : guessFor(model, names ?? []);
  return guess === '' ? error : hinted(error, `${guess} ${error.hint ?? ''}`);
}

/** Whether a refusal is probably one of the model. */
export function isAboutModel({ serviceCode = '', message }: ApiError): boolean {
  return /model/i.test(`${serviceCode} ${message}`);
}

/** The refusal with another hint. */
export function hinted(error: ApiError, hint: string): ApiError {
  const { message, status, serviceCode, requestIds, fields } = error;
  return new ApiError(message, { status, serviceCode, cause: error, requestIds, fields, hint });
}
