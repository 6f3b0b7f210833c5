/** The profile and the key: stored, proved, removed. */
import type * as declared from './index.js';
import type * as z from 'zod/mini';
import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { refuseCleartext } from '../../api/prepare.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { getBalance, type Balance } from '../../contract/billing.js';
import { brandFrom } from '../../contract/brand.js';
import { UsageError, ApiError } from '../../errors.js';
import { formatRub } from '../../lib/money.js';
import { rememberSecret } from '../../lib/redact.js';
import { updateConfig } from '../../state/config-write.js';
import {
  configFile,
  defaultProfile,
  rawProfile,
  type ConfigDocument,
  profileNames,
  readConfig,
} from '../../state/config.js';
import { baseUrlText, checkBaseUrl, checkKey, maskKey } from '../../state/rules.js';
import { loadSettings, type Settings, profileName, unknownProfile } from '../../state/settings.js';
import { canAsk } from '../can-ask.js';
import { sourceName } from '../config/config.js';

/** What is about to be stored. */
interface Credentials {
  readonly profile: string;
  readonly baseUrl: URL;
  readonly key: string;
  readonly brand: string;
  /** The brand came from the environment and is part of what was proved. */
  readonly keepBrand: boolean;
}

/** Asks for a base URL and a key, proves them, and stores them in the profile. */
export const login: Handler<typeof declared.login> = async (context, { options }) => {
  const { flags, env, out } = context;
  refuseWhatCannotBe(context, options.withKey === true);
  const settings = loadSettings({ ...context, mayBeNew: true });
  const baseUrl = await baseUrlFor(context, settings, options.withKey === true);
  // Before the key is asked for: nobody should type it for nothing.
  refuseCleartext(baseUrl, 'key');
  const key = await keyFor(context, options.withKey === true);
  const credentials: Credentials = {
    profile: settings.profile,
    baseUrl,
    key,
    brand: settings.brand,
    keepBrand: settings.sources.brand === 'environment',
  };
  warnOfOddKey(context, credentials);
  const balanceRub =
    // Under --dry-run the proof is what is shown, and nothing is stored.
    options.verify || flags.dryRun || flags.curl ? await prove(context, credentials) : undefined;
  await store(context, credentials);
  if (env['SVC_API_KEY']) out.warn('SVC_API_KEY is set and goes before the stored key');
  await tell(context, credentials, balanceRub);
};

function refuseWhatCannotBe(context: Context, withKey: boolean): void {
  const { flags, stdin } = context;
  if (flags.local) {
    throw new UsageError('the embedded service needs no login', {
      hint: 'leave --local out; to try it offline: svc --local chat "hello"',
    });
  }
  if (withKey && stdin.isTerminal) {
    throw new UsageError('--with-key reads the key from a file or pipe, and there is none', {
      hint: 'svc login asks for it; or: svc login --with-key < key.txt',
    });
  }
  if (!withKey && !canAsk(context)) {
    throw new UsageError('cannot ask for the key here', {
      hint: 'svc login --with-key --base-url URL < key.txt',
      code: 'no_terminal',
    });
  }
}

async function baseUrlFor(context: Context, settings: Settings, withKey: boolean): Promise<URL> {
  const { baseUrl, sources } = settings;
  if (baseUrl && (withKey || sources.baseUrl !== 'profile')) return baseUrl;
  if (withKey) {
    throw new UsageError('where is the service? no base URL is known', {
      hint: 'svc login --with-key --base-url URL < key.txt',
      code: 'no_base_url',
    });
  }
  const text = await context.prompts.text({
    message: 'Base URL',
    default: baseUrl && baseUrlText(baseUrl),
    validate: (answer) => problemOf(checkBaseUrl(answer)) ?? true,
  });
  const checked = checkBaseUrl(text);
  if ('problem' in checked) throw new UsageError(checked.problem);
  return checked.value;
}

function problemOf(checked: { value: unknown } | { problem: string }): string | undefined {
  return 'problem' in checked ? checked.problem : undefined;
}

async function keyFor({ stdin, prompts }: Context, withKey: boolean): Promise<string> {
  const text = withKey ? await stdin.text() : await prompts.secret({ message: 'Key' });
  const checked = checkKey(text);
  if ('problem' in checked) throw new UsageError(checked.problem, { code: 'bad_key' });
  rememberSecret(checked.value);
  return checked.value;
}

function warnOfOddKey({ out }: Context, { key, brand }: Credentials): void {
  const { keyPrefix } = brandFrom(brand);
  if (!key.startsWith(keyPrefix)) {
    out.warn(`keys of this service begin with ${keyPrefix}, and this one does not`);
  }
}

async function prove(context: Context, { baseUrl, key, brand }: Credentials): Promise<number> {
  const client = await context.client({ as: { baseUrl, key, brand } });
  const balance = await proveKey(client, {
    unknownKey: 'nothing was stored; copy the key again from the cabinet, or check the base URL',
    wrongAddress:
      'nothing was stored; add this address in the cabinet, or store the key all the same: svc login --no-verify',
    wrongUrl: 'nothing was stored; check the base URL',
  });
  return balance.balance_rub;
}

async function store(context: Context, credentials: Credentials): Promise<void> {
  const { profile, baseUrl, key, brand, keepBrand } = credentials;
  await updateConfig(context.paths, context, (config) => {
    const fields = {
      ...rawProfile(config, profile),
      base_url: baseUrlText(baseUrl),
      key,
      key_origin: baseUrl.origin,
      ...(keepBrand ? { brand } : {}),
    };
    // The first profile is the usual one.
    if (usualProfile(config) === undefined) config.profile = profile;
    config.profiles = { ...config.profiles, [profile]: fields };
  });
}

function usualProfile(config: ConfigDocument): string | undefined {
  return config.profile ?? (rawProfile(config, defaultProfile) ? defaultProfile : undefined);
}

async function tell(
  { flags, out, paths }: Context,
  { profile, baseUrl, key }: Credentials,
  balanceRub: number | undefined,
): Promise<void> {
  const service = baseUrlText(baseUrl);
  if (flags.json) {
    await out.json({
      profile,
      baseUrl: service,
      key: maskKey(key),
      verified: balanceRub !== undefined,
      ...(balanceRub === undefined ? {} : { balanceRub }),
      configFile: configFile(paths),
    });
    return;
  }
  const proof = balanceRub === undefined ? 'not proved' : `balance ${formatRub(balanceRub)}`;
  out.note(`Stored a key for ${service} in profile "${profile}"; ${proof}.`);
}

/** Shows profile, base URL and masked key with where each comes from, and proves the key. */
export const whoami: Handler<typeof declared.whoami> = async (context) => {
  const { flags, out } = context;
  const client = await context.client();
  const { balance_rub: balanceRub, currency = 'RUB' } = await proveKey(client, {
    unknownKey: 'svc login stores another; keys are made in the cabinet of the service',
    wrongAddress: 'add this address to the allow-list of the key in the cabinet',
    wrongUrl: 'check the base URL: svc config get base_url',
  });
  if (flags.local) {
    if (flags.json) await out.json({ local: true, balanceRub, currency });
    else await out.table(columns, [['Service', 'embedded', '--local'], balanceRow(balanceRub)]);
    return;
  }
  const settings = context.settings();
  const facts = factsOf(settings);
  if (flags.json) await out.json({ ...facts, balanceRub, currency });
  else await out.table(columns, [...rowsOf(settings, facts), balanceRow(balanceRub)]);
};

const columns = [{ title: 'WHAT' }, { title: 'VALUE' }, { title: 'FROM' }] as const;

function factsOf({ profile, baseUrl, key, sources }: Settings) {
  return {
    profile,
    profileSource: sources.profile,
    baseUrl: baseUrl && baseUrlText(baseUrl),
    baseUrlSource: sources.baseUrl,
    key: key === undefined ? undefined : maskKey(key),
    keySource: sources.key,
  };
}

function rowsOf({ sources }: Settings, facts: ReturnType<typeof factsOf>): string[][] {
  return [
    ['Profile', facts.profile, sourceName('profile', sources.profile)],
    ['Base URL', facts.baseUrl ?? '', sourceName('base_url', sources.baseUrl)],
    ['Key', facts.key ?? '', sourceName('key', sources.key)],
  ];
}

function balanceRow(balanceRub: number): string[] {
  return ['Balance', formatRub(balanceRub), 'the service'];
}

/** Removes the key of one profile, or of all. */
export const logout: Handler<typeof declared.logout> = async (context, { options }) => {
  const { env, flags, out, paths } = context;
  if (options.all && flags.profile !== undefined) {
    throw new UsageError('--all and --profile do not go together', {
      hint: 'svc logout --all, or: svc logout --profile NAME',
    });
  }
  const config = readConfig(paths);
  const named = profileName(config, flags, env);
  const names = options.all ? profileNames(config) : [named.value];
  if (!options.all && named.source !== 'default' && !rawProfile(config, named.value)) {
    throw unknownProfile(named.value, config);
  }
  const removed = await updateConfig(paths, context, (document) =>
    names.filter((name) => {
      const fields = rawProfile(document, name);
      if (fields?.['key'] === undefined) return false;
      delete fields['key'];
      delete fields['key_origin'];
      return true;
    }),
  );
  if (flags.json) await out.json({ removed });
  else out.note(sentence(removed, names));
  if (env['SVC_API_KEY']) out.warn('SVC_API_KEY is still set and stays in use');
};

function sentence(removed: readonly string[], asked: readonly string[]): string {
  const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  if (removed.length > 0) {
    return `Removed the key of profile${removed.length > 1 ? 's' : ''} ${list(removed)}.`;
  }
  return asked.length === 1
    ? `No key is stored for profile ${list(asked)}.`
    : 'No key is stored for any profile.';
}

/** What to do about a refusal, by what was refused. */
interface ProofHints {
  readonly unknownKey: string;
  readonly wrongAddress: string;
  readonly wrongUrl: string;
}

/**
 * The balance of the client's key.
 * @throws ApiError that says what 401, 403 and 404 mean here; whatever the call throws.
 */
async function proveKey(client: Client, hints: ProofHints): Promise<z.output<typeof Balance>> {
  try {
    return (await call(client, getBalance, {})).data;
  } catch (error) {
    throw error instanceof ApiError ? explained(error, client.baseUrl, hints) : error;
  }
}

function explained(error: ApiError, baseUrl: URL, hints: ProofHints): ApiError {
  const service = baseUrlText(baseUrl);
  switch (error.status) {
    case 401:
      return retold(error, `${service} does not know this key (401)`, hints.unknownKey);
    case 403:
      return retold(
        error,
        `${service} knows the key, but not from this address (403): its allow-list lacks it`,
        hints.wrongAddress,
      );
    case 404:
      return retold(error, `${service} has no balance to ask for (404)`, hints.wrongUrl);
    default:
      return error;
  }
}

function retold(error: ApiError, message: string, hint: string): ApiError {
  const { status, code, requestIds, fields } = error;
  return new ApiError(message, { status, code, requestIds, fields, hint, cause: error });
}
