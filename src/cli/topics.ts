/** A term, and what it means. */
export type Definition = readonly [term: string, meaning: string];

/** The environment variables that svc reads: one list for its help and the reference. */
export const variables: readonly Definition[] = [
  ['SVC_API_KEY', 'the key; overrides the stored one'],
  ['SVC_BASE_URL', "the service's address; --base-url overrides it"],
  ['SVC_PROFILE', 'the profile to use; --profile overrides it'],
  ['SVC_MODEL', 'the default model for chat; with a kind added (_IMAGE), the one of that kind'],
  ['SVC_BUDGET', 'the budget of a day in RUB, in place of the setting budget_day'],
  ['SVC_CACHE', 'how old an answer from the cache may be, in place of the setting cache'],
  ['SVC_SHARDS', 'the number of shards where `svc batch run --shard auto` is in a Kubernetes Job'],
  ['SVC_SESSION', 'the Cookie header of a session in the web cabinet, for `svc webhooks`'],
  ['SVC_CONFIG_DIR', 'one folder for settings, data and cache'],
  ['SVC_BRAND', "the word in the service's header names and key prefix (default: svc)"],
  ['SVC_LOG', '`off`: svc keeps no log of conversations'],
  ['SVC_LOCAL', 'when set, --local in every command'],
  ['SVC_LOCAL_SCRIPT', 'the file that local/script answers from'],
  ['SVC_LOCAL_CORPUS', 'another folder that --local searches, with the manual'],
  ['SVC_LOCAL_JOB_TIME', 'how long a media job takes with --local'],
  ['SVC_LOCAL_REPLY_TIME', 'how long a ticket waits for its reply with --local'],
  ['SVC_PROXY_KEY', 'the key that programs send to `svc proxy`, in place of one made for the run'],
  ['SVC_TAPE', 'a tape that answers in place of the service; record:FILE records one'],
  ['SVC_AGENT', '`off`: svc writes to a coding agent (see AI_AGENT) as it does to people'],
  ['SVC_DEBUG', 'when set, errors show their stack trace'],
  ['AI_AGENT', 'set by coding agents, as CLAUDECODE and others are: no colours, no questions'],
  ['VISUAL', 'the editor for tickets; EDITOR when it is not set'],
  ['NO_COLOR', 'when set, no colours'],
  ['SVC_LANG', 'en or ru: the language for people, in place of the setting language'],
  ['LC_MESSAGES', 'the language where neither is set'],
  ['ACCESSIBLE', '1: lines for a screen reader, instead of menus and spinners'],
  ['FORCE_COLOR', 'when set, colours off a terminal too, in help and on stderr; data stays bare'],
  ['FORCE_HYPERLINK', '1 turns links on in any terminal, 0 turns them off'],
  ['HTTPS_PROXY', 'the proxy for https addresses; HTTP_PROXY for http ones'],
  ['ALL_PROXY', 'the proxy for addresses without one of their own'],
  ['NO_PROXY', 'hosts and networks to reach without a proxy'],
  ['NODE_EXTRA_CA_CERTS', 'a file with additional certificates to trust'],
];

/** What `svc help NAME` shows beside the commands. */
export const topics = [
  { name: 'options', summary: 'the options of every command' },
  { name: 'exit-codes', summary: 'the exit codes and their meanings' },
  { name: 'errors', summary: 'the error codes, their exit codes and what to do next' },
  { name: 'environment', summary: 'the environment variables that svc reads' },
] as const;

export type TopicName = (typeof topics)[number]['name'];
