/** Refuses an unknown model before money or time is spent on it. */
import type { Client } from '../api/client.js';
import * as models from '../api/models.js';
import type { Context } from '../cli/context.js';
import { ApiError, UsageError } from '../errors.js';
import { nearest } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { accountOf } from '../state/account.js';
import { nameCache } from '../state/small-files.js';
import { baseUrlText } from '../state/rules.js';

/** Asks the service only about a model that it has not named before. */
export async function assertModel(
  { flags, paths, settings }: Context,
  client: Client,
  model: string,
  kind: models.ModelKind,
): Promise<void> {
  // A dry run sends nothing, so the service cannot be asked.
  if (flags.dryRun) return;
  // Nothing is remembered of the embedded service.
  const account = accountOf(settings().profile, baseUrlText(client.baseUrl), client.key ?? '');
  const cache = flags.local ? undefined : nameCache(paths, account);
  if (models.isModelName(model, cache?.read()?.names ?? [])) return;
  const names = await models.modelNames(client, kind);
  if (names === undefined) return;
  const isListed = models.isModelName(model, names);
  const isThere = isListed || (await models.isModelThere(client, model));
  const known = isThere && !isListed ? [...names, models.withoutChannel(model)] : names;
  cache?.keep({ names: known });
  if (!isThere) throw unknownModel(model, names);
}

/** The model to use; a profile's default model is for chat alone. @throws UsageError */
export function namedModel(
  { flags }: Pick<Context, 'flags'>,
  given: string | undefined,
  { local, hint }: { readonly local: string; readonly hint: string },
): string {
  const model = given?.trim() ?? (flags.local ? local : '');
  if (model !== '') return model;
  throw new UsageError('no model is named', { code: 'no_model', hint });
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

/** `did you mean local/guide?`; empty when no name is close. */
function guessFor(model: string, names: readonly string[]): string {
  // A name without its vendor is compared with names without theirs.
  const short = names.map((name) => name.slice(name.indexOf('/') + 1));
  const similar = nearest(model, names) ?? nearest(model, short);
  return similar === undefined ? '' : `did you mean ${plainText(similar, 100)}?`;
}

/** The service's refusal of a model, with a hint at the name that was probably meant. */
export async function withSimilarName(
  { flags, out }: Context,
  client: Client,
  model: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ApiError) || ![400, 404].includes(error.status)) return error;
  const { message, status, code, hint = '', requestIds, fields } = error;
  // A script sends only the requests that it asks for.
  const mayAsk = flags.local || out.isErrorTerminal;
  if (!mayAsk || !/model/i.test(`${code} ${message}`)) return error;
  const names = await models.modelNames({ ...client, deadlineMs: 3000 }).catch(() => undefined);
  const guess = models.isModelName(model, names ?? []) ? '' : guessFor(model, names ?? []);
  if (guess === '') return error;
  return new ApiError(message, { status, code, requestIds, fields, hint: `${guess} ${hint}` });
}
