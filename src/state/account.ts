/** The owner of a job: stored with it, so that it is only requested with the same key. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { baseUrlText } from './rules.js';
import type { Settings } from './settings.js';

export const Account = z.object({
  /** The profile in use when it was made; shown to people, never compared. */
  profile: z.string(),
  /** The base URL without a trailing slash; `local:` is the embedded service of this machine. */
  service: z.string(),
  /** A short hash of the key: enough to tell keys apart, of no use to anyone. */
  keyHash: z.string(),
});
export type Account = Readonly<z.output<typeof Account>>;

export const localService = 'local:';

export function accountOf(profile: string, service: string, key: string): Account {
  const keyHash = createHash('sha256').update(`svc account ${key}`).digest('hex').slice(0, 12);
  return { profile, service, keyHash };
}

/** The account that settings lead to, also where the key itself is elsewhere and is not read. */
export function accountOfSettings(settings: Settings): Account | undefined {
  const { baseUrl, key, keyHash, profile } = settings;
  if (!baseUrl) return undefined;
  if (key) return accountOf(profile, baseUrlText(baseUrl), key);
  return keyHash === undefined ? undefined : { profile, service: baseUrlText(baseUrl), keyHash };
}

/** The account of a run: of the embedded service, or of the profile in force. */
export function accountFor(
  { flags, settings }: { flags: { local: boolean }; settings: () => { profile: string } },
  { baseUrl, key = '' }: { baseUrl: URL; key: string | undefined },
): Account {
  if (flags.local) return accountOf('local', localService, key);
  return accountOf(settings().profile, baseUrlText(baseUrl), key);
}

export function isSameAccount(one: Account, other: Account): boolean {
  return oneService(one.service) === oneService(other.service) && one.keyHash === other.keyHash;
}

const loopback = /^(?<scheme>https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/;

const withHost = (service: string, host: string) => service.replace(loopback, `$<scheme>${host}`);

/** The same for the three names of this machine, whose services are one. */
export function oneService(service: string): string {
  return withHost(service, '127.0.0.1');
}

/** All names under which records of this service may be kept, as a JSON array for SQL. */
export function namesOfService(service: string): string {
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((host) => withHost(service, host));
  return JSON.stringify([...new Set(names)]);
}
