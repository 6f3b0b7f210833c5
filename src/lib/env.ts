import agentVariables from './agents.json' with { type: 'json' };

export type Env = Readonly<Record<string, string | undefined>>;

/** Whether a coding agent runs svc: one of the variables that they set for what they run is set. */
export function isAgent(env: Env): boolean {
  return env['SVC_AGENT'] !== 'off' && agentVariables.some((name) => Boolean(env[name]));
}

/** `en_US.UTF-8`, by default that of letters; undefined where none is set. */
export function localeOf(
  env: Env,
  category: 'LC_CTYPE' | 'LC_MESSAGES' = 'LC_CTYPE',
): string | undefined {
  return ['LC_ALL', category, 'LANG'].map((name) => env[name]).find((one) => one);
}

/** What svc reads a key or a session from. */
const ownSecrets = /^SVC_(?:API_KEY|SESSION)$/i;
const anySecrets = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|_PAT$|^SVC_SESSION$/i;
const urlLogin = /^(\s*[a-z][a-z\d+.-]*:\/\/)[^\s/@]*:[^\s/]*@/i;

/**
 * The environment of a program that svc starts: never with the key of svc. A model reads what
 * `tool` and `server` print, so they know their proxy without its user and password, and a tool so
 * each URL; programs that the user runs on their own need both. The secrets of a server are its own.
 * @param passed names of variables that it gets as they are
 */
export function childEnv(
  env: Env,
  reader: 'user' | 'server' | 'tool' = 'user',
  passed: readonly string[] = [],
): Record<string, string | undefined> {
  const secrets = reader === 'tool' ? anySecrets : ownSecrets;
  const entriesToPass = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (passed.includes(name) || !secrets.test(name)),
  );
  const withoutLogins = (name: string, value: string) => {
    if (reader === 'user' || passed.includes(name)) return value;
    // All before the last @: a password may contain one, or a slash.
    if (/proxy$/i.test(name)) return value.replace(/^\s*([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1');
    return reader === 'tool' ? value.replace(urlLogin, '$1') : value;
  };
  const entries = entriesToPass.map(
    ([name, value = '']) => [name, withoutLogins(name, value)] as const,
  );
  return Object.fromEntries(entries);
}

/** Without the variables in whose value a secret stands, by whatever name; and their names. */
export function withoutSecrets(
  env: Env,
  secrets: readonly (string | undefined)[],
): { left: Env; leftOut: readonly string[] } {
  const known = secrets.map((secret = '') => secret.trim()).filter((secret) => secret !== '');
  const holds = ([, value = '']: [string, string | undefined]) =>
    known.some((secret) => value.includes(secret));
  const all = Object.entries(env);
  return {
    left: Object.fromEntries(all.filter((one) => !holds(one))),
    leftOut: all.filter(holds).map(([name]) => name),
  };
}
