/** The environment of a program whose requests go to the proxy. */
import { childEnv, withoutSecrets, type Env } from '../lib/env.js';
import type { ProxyAddress } from './proxied.js';

/** They would send it, or what it sends, elsewhere, or go along with each request. */
const misleading =
  /^(?:SVC_(?:LOCAL|PROXY_KEY|TAPE)|OPENAI_ORG_ID|OPENAI_PROJECT_ID|.*_CUSTOM_HEADERS)$/i;
const loopback = ['127.0.0.1', 'localhost', '::1'];

/**
 * What every program gets: the addresses, the key of this run and the model in the variables of
 * both formats. No proxy of the user stands between it and this machine.
 * @param secret the key of the account
 * @returns the environment, and the names of the variables in which the secret stood
 */
export function programEnv(env: Env, address: ProxyAddress, secret: string | undefined) {
  // Over the embedded service, the account's key is not in use.
  const { left, leftOut } = withoutSecrets(env, [secret, env['SVC_API_KEY']]);
  const own = Object.entries(childEnv(left)).filter(([name]) => !misleading.test(name));
  return { env: { ...Object.fromEntries(own), ...direct(left), ...addressed(address) }, leftOut };
}

/** The variables in which programs look for an address, a key and a model. */
export function addressed({ key, model, rootUrl }: ProxyAddress): Readonly<Record<string, string>> {
  const [openAi, models] = [`${rootUrl}/v1`, { OPENAI_MODEL: model, ANTHROPIC_MODEL: model }];
  return {
    ...{ OPENAI_BASE_URL: openAi, OPENAI_API_BASE: openAi, OPENAI_API_KEY: key },
    ...{ ANTHROPIC_BASE_URL: rootUrl, ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: key },
    ...{ SVC_BASE_URL: rootUrl, SVC_API_KEY: key },
    ...(model === undefined ? {} : models),
  };
}

/** What the user has excepted from a proxy, with this machine; programs read the one or the other. */
function direct({ NO_PROXY = '', no_proxy: lower = '' }: Env): Readonly<Record<string, string>> {
  const hosts = [...NO_PROXY.split(','), ...lower.split(','), ...loopback];
  const named = hosts.map((host) => host.trim()).filter((host) => host !== '');
  const list = Array.from(new Set(named)).join(',');
  return { NO_PROXY: list, no_proxy: list };
}
