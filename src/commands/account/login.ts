/** The first run; the key of a profile: stored, verified, removed. */
import { rubWords } from '../cells.js';
import type * as declared from './index.js';
import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { assertEncrypted } from '../../api/prepare.js';
import type { Context, Handler } from '../../context.js';
import { getBalance } from '../../contract/billing.js';
import { brandFrom } from '../../contract/brand.js';
import { UsageError, ApiError, isRefusal } from '../../errors.js';
import { rememberSecret } from '../../lib/redact.js';
import { updateConfig } from '../../state/config-write.js';
import {
  configFile,
  defaultProfile,
  profileNames,
  rawProfile,
  readConfig,
} from '../../state/config.js';
import { baseUrlText, checkBaseUrl, checkKey, maskKey } from '../../state/rules.js';
import { forgetKey, holdsKey, loadSettings, type Settings } from '../../state/settings.js';
import { defaultModel } from '../../jobs/known-model.js';
import { languageOnScreen, textsIn } from '../../texts/load.js';
import type { LoginTexts } from '../../texts/login.js';
import { knownProfile, shownValue, sourceName } from '../config/config.js';
import { chooseModels, firstAnswer, openChoices } from './first-run.js';
import { emptyKeychain, keepKey, readKey } from './key-store.js';

export const init: Handler<typeof declared.init> = async (context) => {
  if (loadSettings(context, true).sources.key === undefined && !context.flags.local) {
    const options = { withKey: false, verify: true, store: undefined };
    await login(context, { args: {}, options });
  } else {
    await whoami(context, { args: {}, options: {} });
    if (context.prompts.canAsk) await chooseModels(context, await context.client(), true);
  }
  await firstAnswer(context);
};

export const login: Handler<typeof declared.login> = async (context, { options }) => {
  const { flags, env, out, paths } = context;
  const withKey = options.withKey === true;
  const settings = loadSettings(context, true);
  const { profile, brand, sources } = settings;
  const { login: texts } = await textsIn(out.language);
  // A key that is given cannot be kept by a command.
  const usual = withKey && settings.keyStore === 'command' ? 'file' : settings.keyStore;
  const store = options.store ?? usual;
  const isByCommand = store === 'command';
  const asksNothing = withKey || (isByCommand && settings.keyCommand !== undefined);
  const hint = isByCommand ? commandStoreHint : withKeyHint;
  assertLoginPossible(context, withKey);
  if (!asksNothing && !context.prompts.canAsk) {
    throw new UsageError('cannot ask for the key here', { hint, code: 'no_terminal' });
  }
  const baseUrl = await baseUrlFor(context, settings, asksNothing ? hint : undefined);
  // Before the key is typed for nothing.
  assertEncrypted(baseUrl, 'key');
  const keyCommand = isByCommand
    ? (settings.keyCommand ?? (await context.prompts.text({ message: texts.keyCommandQuestion })))
    : undefined;
  // Under --dry-run the verifying request is shown, and nothing is stored.
  const isVerified = options.verify || flags.dryRun;
  const isTyped = !asksNothing && !isByCommand;
  if (isTyped) out.note(texts.createKey);
  const { key, client, balanceRub } = await untilRight(context, isTyped, async () => {
    const key = await keyFrom(context, { ...settings, keyCommand }, withKey);
    const client = isVerified ? await context.client({ as: { baseUrl, key, brand } }) : undefined;
    const balanceRub = client && (await proveKey(client, 'login')).balance_rub;
    return { key, client, balanceRub };
  });
  const service = baseUrlText(baseUrl);
  await keepKey(
    context,
    { key, keyCommand, profile, store },
    {
      base_url: service,
      key_origin: baseUrl.origin,
      // A brand from the environment is part of what was verified.
      ...(sources.brand === 'environment' ? { brand } : {}),
    },
  );
  if (env['SVC_API_KEY']) out.warn(texts.isOverridden, texts.warning);
  if (flags.json) {
    return out.json({
      profile,
      baseUrl: service,
      key: maskKey(key),
      ...(store === 'file' ? {} : { store }),
      verified: balanceRub !== undefined,
      balanceRub,
      configFile: configFile(paths),
    });
  }
  out.note(texts.stored({ store, service, profile, balanceRub }));
  if (client) await offerModels(context, client, texts);
};

/** Asks again after a typed key that is malformed, or that the service does not know. */
async function untilRight<Result>(
  { flags, report }: Context,
  isTyped: boolean,
  ask: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isBad = error instanceof UsageError && error.code === 'bad_key';
      if (!isTyped || flags.json || !(isBad || isRefusal(error, 401))) throw error;
      await report(error);
    }
  }
}

/** Where nothing can be asked, it says which setting is missing. */
async function offerModels(context: Context, client: Client, texts: LoginTexts): Promise<void> {
  const { commandHint, out } = context;
  if (!context.prompts.canAsk) {
    const chat = (await openChoices(context, client)).find(({ setting }) => setting === 'model');
    if (chat) {
      out.note(commandHint(texts.noDefaultModel(`svc config set model ${chat.models[0].id}`)));
    }
    return;
  }
  await chooseModels(context, client);
  const connected = { ...context, client: () => Promise.resolve(client) };
  const model = await defaultModel(connected, 'chat', loadSettings(context));
  out.note(commandHint(texts.next(model)));
}

/** The key from stdin, the command or a person. @throws UsageError, ConfigError */
async function keyFrom(context: Context, settings: Settings, withKey: boolean): Promise<string> {
  const { login: texts } = await textsIn(context.out.language);
  let typed: string;
  if (withKey) typed = await context.stdin.text();
  else if (settings.keyCommand !== undefined) typed = await readKey(context, settings);
  else typed = await context.prompts.secret({ message: texts.keyQuestion });
  const checked = checkKey(typed);
  if ('problem' in checked) throw new UsageError(checked.problem, { code: 'bad_key' });
  const { value: key } = checked;
  rememberSecret(key);
  const { keyPrefix } = brandFrom(settings.brand);
  if (!key.startsWith(keyPrefix)) {
    context.out.warn(texts.otherPrefix(keyPrefix), texts.warning);
  }
  return key;
}

function assertLoginPossible(context: Context, withKey: boolean): void {
  if (context.flags.local) {
    throw new UsageError('the embedded service needs no login', {
      hint: 'omit --local, or try it offline: svc --local chat "hello"',
    });
  }
  if (withKey && context.stdin.isTerminal) {
    throw new UsageError('--with-key reads the key from a file or a pipe, not a terminal', {
      hint: 'to type it: svc login; from a file: svc login --with-key < key.txt',
    });
  }
}

const withKeyHint = 'svc login --with-key --base-url URL < key.txt';
const commandStoreHint =
  "svc config set key_command 'COMMAND', then: svc login --store command --base-url URL";

/** @param hint of the error where it is not known and nothing is asked */
async function baseUrlFor(context: Context, settings: Settings, hint?: string): Promise<URL> {
  const { baseUrl, sources } = settings;
  if (baseUrl && (hint !== undefined || sources.baseUrl !== 'profile')) return baseUrl;
  if (hint !== undefined) {
    throw new UsageError('no base URL is set', { hint, code: 'no_base_url' });
  }
  const { login: texts } = await textsIn(context.out.language);
  context.out.note(texts.aboutBaseUrl);
  const text = await context.prompts.text({
    message: texts.baseUrlQuestion,
    default: baseUrl && baseUrlText(baseUrl),
    validate: (answer) => {
      const checked = checkBaseUrl(answer);
      return 'problem' in checked ? texts.badBaseUrl(checked.problem) : true;
    },
  });
  const checked = checkBaseUrl(text);
  if ('problem' in checked) throw new UsageError(checked.problem);
  return checked.value;
}

export const whoami: Handler<typeof declared.whoami> = async (context) => {
  const { flags, out } = context;
  const client = await context.client();
  const { balance_rub: balanceRub, currency = 'RUB' } = await proveKey(client, 'whoami');
  const known: Record<string, unknown> = flags.local ? { local: true } : {};
  const { login: texts, sources } = await textsIn(languageOnScreen(context));
  const { titles } = texts;
  const rows = flags.local ? [[titles.service, texts.embedded, '--local']] : [];
  const shown = [
    [titles.profile, 'profile'],
    [titles.baseUrl, 'base_url'],
    [titles.key, 'key'],
  ] as const;
  for (const [title, name] of flags.local ? [] : shown) {
    const { field, value = '', source } = shownValue(await context.keyed(), name);
    known[field] = value;
    known[`${field}Source`] = source;
    rows.push([title, String(value), sourceName(sources, name, source)]);
  }
  if (flags.json) return out.json({ ...known, balanceRub, currency });
  const left = rubWords(context, balanceRub);
  if (!out.isTerminal) return out.fields([...rows, [titles.balance, left, 'the service']]);
  const withSource = rows.map(([name = '', value = '', from = '']) => [name, `${value} (${from})`]);
  await out.fields([...withSource, [titles.balance, left]]);
};

export const logout: Handler<typeof declared.logout> = async (context, { options }) => {
  const { env, flags, out, paths } = context;
  if (options.all && flags.profile !== undefined) {
    throw new UsageError('--all and --profile cannot be used together', {
      hint: 'svc logout --all, or: svc logout --profile NAME',
    });
  }
  // The first login may have been killed before it had written the profile.
  const all = new Set([defaultProfile, ...profileNames(readConfig(paths))]);
  const names = options.all ? [...all] : [knownProfile(context)];
  const removed: string[] = [];
  const failures: unknown[] = [];
  await updateConfig(paths, context, async (document) => {
    for (const name of names) {
      const fields = rawProfile(document, name) ?? {};
      try {
        await emptyKeychain(paths, name, fields);
        if (holdsKey(fields)) removed.push(name);
        forgetKey(fields);
      } catch (error) {
        // What cannot be removed does not keep the others.
        failures.push(error);
      }
    }
  });
  if (failures.length > 0 && removed.length === 0) throw failures[0];
  const { login: texts } = await textsIn(out.language);
  if (flags.json) await out.json({ removed });
  else if (removed.length === 0) out.note(texts.noneStored(options.all ? undefined : names[0]));
  else out.note(texts.removed(removed));
  if (env['SVC_API_KEY']) out.warn(texts.isStillUsed, texts.warning);
  if (failures.length > 0) throw failures[0];
};

const refusalWords: Readonly<Record<number, string>> = {
  401: 'does not know this key (401)',
  403: 'does not accept this key from this address (403)',
  404: 'has no balance endpoint (404)',
};

async function proveKey(client: Client, command: 'login' | 'whoami') {
  try {
    return (await call(client, getBalance, {})).data;
  } catch (error) {
    // Also a gateway that answers 404 has no balance endpoint.
    const isNotThere = error instanceof ApiError && error.status === 404;
    if (!isNotThere && !isRefusal(error, 401, 403)) throw error;
    const words = refusalWords[error.status] ?? '';
    const { status, requestIds, fields } = error;
    // All hints are in English; their explanation is in the language of the user.
    const hint = (await textsIn('en')).login.refusals[command][status];
    const details = { status, requestIds, fields, hint, cause: error };
    throw new ApiError(`${baseUrlText(client.baseUrl)} ${words}`, details);
  }
}
