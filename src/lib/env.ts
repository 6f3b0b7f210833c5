import agentVariables from './agents.json' with { type: 'json' };

export type Env = Readonly<Record<string, string | undefined>>;

/** Whether a coding agent runs svc: one of the variables that they set for what they run is set. */
export function isAgent(env: Env): boolean {
  return env['SVC_AGENT'] !== 'off' && agentVariables.some((name) => Boolean(env[name]));
}

/** What svc reads a key or a session from. */
const ownSecrets = /^SVC_(?:API_KEY|SESSION)$/i;
const anySecrets = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|^SVC_SESSION$/i;

/**
 * The environment of a program that svc starts: never with the key of svc. A model reads what
 * `tool` and `server` print, so they know their proxy without its user and password; programs that
 * the user runs on their own need both. The secrets of a server are its own.
 * @param passed names of variables that it gets as they are
 */
export function childEnv(
  env: Env,
  reader: 'user' | 'server' | 'tool' = 'user',
  passed: readonly string[] = [],
): Record<string, string | undefined> {
  const secrets = reader === 'tool' ? anySecrets : ownSecrets;
  const kept = Object.entries(env).filter(([name]) => passed.includes(name) || !secrets.test(name));
  const entries = kept.map(([name, value]) => {
    const isHidden = reader !== 'user' && /proxy$/i.test(name) && !passed.includes(name);
    return [name, isHidden ? withoutLogin(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

/** All before the last @: a password may contain one, or a slash. */
const withoutLogin = (address = '') => address.replace(/^\s*([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1');
