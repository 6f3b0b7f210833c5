import { exits } from './exit.js';

/** The environment variables that svc reads: one list for its help and the reference. */
export const variables: readonly (readonly [name: string, summary: string])[] = [
  ['SVC_API_KEY', 'the key; it wins over the stored one'],
  ['SVC_BASE_URL', 'where the service is; --base-url wins over it'],
  ['SVC_PROFILE', 'the profile to use; --profile wins over it'],
  ['SVC_MODEL', 'the default model for chat; with a kind added (_IMAGE), the one of that kind'],
  ['SVC_SESSION', 'the Cookie header of a session of the web cabinet, for `svc webhooks`'],
  ['SVC_CONFIG_DIR', 'one folder for settings, data and cache'],
  ['SVC_BRAND', "the word in the service's header names and key prefix (svc)"],
  ['SVC_LOCAL_SCRIPT', 'the file that local/script answers from'],
  ['SVC_LOCAL_CORPUS', 'a folder that --local searches besides the manual'],
  ['SVC_LOCAL_JOB_TIME', 'how long a media job takes with --local'],
  ['SVC_LOCAL_REPLY_TIME', 'how long a ticket waits for its answer with --local'],
  ['SVC_DEBUG', 'when set, an error is followed by its stack trace'],
  ['VISUAL', 'the editor for tickets; EDITOR where it is not set'],
  ['NO_COLOR', 'when set, no colours'],
  ['FORCE_COLOR', 'when set, colours where there is no terminal too'],
  ['FORCE_HYPERLINK', '1 makes links on any terminal, 0 on none'],
  ['HTTPS_PROXY', 'the proxy for https addresses; HTTP_PROXY for http ones'],
  ['ALL_PROXY', 'the proxy for what has none of its own'],
  ['NO_PROXY', 'hosts and networks that are reached without a proxy'],
  ['NODE_EXTRA_CA_CERTS', 'a file of further certificates to trust'],
];

interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: () => string;
}

export const topics: readonly Topic[] = [
  {
    name: 'exit-codes',
    summary: 'what the exit codes mean',
    text: () => {
      const rows = Object.values(exits).map(([code, meaning]) => [String(code), meaning] as const);
      return `svc ends with one of these exit codes:\n\n${columns(rows)}`;
    },
  },
  {
    name: 'environment',
    summary: 'the environment variables that svc heeds',
    text: () => `svc heeds these environment variables:\n\n${columns(variables)}`,
  },
];

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
