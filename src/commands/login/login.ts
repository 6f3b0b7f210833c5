import { refuseCleartext } from '../../api/headers.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { brandFrom } from '../../contract/brand.js';
import { UsageError } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { rememberSecret } from '../../lib/redact.js';
import { configFile, defaultProfile, rawProfile, type ConfigDocument } from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import { baseUrlText, checkBaseUrl, checkKey, maskKey } from '../../state/rules.js';
import { loadSettings, type Settings } from '../../state/settings.js';
import { canAsk } from '../can-ask.js';
import type { login } from './index.js';
import { proveKey } from './prove.js';

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
export const run: Handler<typeof login> = async (context, { options }) => {
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
