import { exits } from './exit.js';

/** The environment variables that svc heeds: one list for its help and the reference. */
export const variables: readonly { readonly name: string; readonly summary: string }[] = [
  { name: 'SVC_API_KEY', summary: 'the key; it wins over the stored one' },
  { name: 'SVC_BASE_URL', summary: 'where the service is; --base-url wins over it' },
  { name: 'SVC_PROFILE', summary: 'the profile to use; --profile wins over it' },
  {
    name: 'SVC_SESSION',
    summary: 'the Cookie header of a session of the web cabinet, for `svc webhooks`',
  },
  { name: 'SVC_CONFIG_DIR', summary: 'one folder for settings, data and cache' },
  { name: 'SVC_BRAND', summary: "the word in the service's header names and key prefix (svc)" },
  { name: 'SVC_LOCAL_SCRIPT', summary: 'the file that local/script answers from' },
  { name: 'SVC_LOCAL_CORPUS', summary: 'a folder that --local searches besides the manual' },
  { name: 'SVC_LOCAL_JOB_TIME', summary: 'how long a media job takes with --local' },
  { name: 'SVC_LOCAL_REPLY_TIME', summary: 'how long a ticket waits for its answer with --local' },
  { name: 'SVC_DEBUG', summary: 'when set, an error is followed by its stack trace' },
  { name: 'VISUAL', summary: 'the editor for tickets; EDITOR where it is not set' },
  { name: 'NO_COLOR', summary: 'when set, no colours' },
  { name: 'FORCE_COLOR', summary: 'when set, colours where there is no terminal too' },
  { name: 'FORCE_HYPERLINK', summary: '1 makes links on any terminal, 0 on none' },
  { name: 'HTTPS_PROXY', summary: 'the proxy for https addresses; HTTP_PROXY for http ones' },
  { name: 'ALL_PROXY', summary: 'the proxy for what has none of its own' },
  { name: 'NO_PROXY', summary: 'hosts and networks that are reached without a proxy' },
  { name: 'NODE_EXTRA_CA_CERTS', summary: 'a file of further certificates to trust' },
];

export interface Topic {
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
    text: () => {
      const rows = variables.map(({ name, summary }) => [name, summary] as const);
      return `svc heeds these environment variables:\n\n${columns(rows)}`;
    },
  },
];

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
