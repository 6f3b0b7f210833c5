import agentVariables from './agents.json' with { type: 'json' };

export type Env = Readonly<Record<string, string | undefined>>;

/** Whether a coding agent runs svc: one of the variables that they set for what they run is set. */
export function isAgent(env: Env): boolean {
  return env['SVC_AGENT'] !== 'off' && agentVariables.some((name) => Boolean(env[name]));
}
