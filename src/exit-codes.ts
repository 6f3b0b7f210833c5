/** The exit codes, which are frozen once released, and their meanings. */
export const exits = {
  done: [0, 'success'],
  bug: [1, 'a bug in svc'],
  usage: [2, 'usage error or invalid input; nothing was sent'],
  refused: [3, 'refused by the service'],
  key: [4, 'no key, wrong key, address not allowed, or unusable settings'],
  money: [5, 'balance too low, or price over the ceiling'],
  unreached: [6, 'service not reached, timed out or failing; nothing was charged: run it again'],
  rateLimit: [7, 'rate limit, after the requested wait'],
  pending: [8, 'still pending; the id is printed'],
  jobFailed: [9, 'the job failed'],
  outcomeUnknown: [10, 'outcome unknown: the request may have been accepted and charged'],
  localFile: [11, 'local file error'],
  incomplete: [
    12,
    'incomplete: a truncated stream, list or file, a paid result that was not downloaded, or a partial failure',
  ],
  notSo: [13, 'no: the answer is not that of decide --exit-on, or svc is not as released'],
  interrupted: [130, 'interrupted (Ctrl-C)'],
  readerGone: [141, 'the reader of stdout is gone'],
  terminated: [143, 'terminated (SIGTERM)'],
} as const satisfies Record<string, readonly [code: number, meaning: string]>;

export type ExitName = keyof typeof exits;
/** In the order of their codes. */
export const exitNames = Object.keys(exits).filter((name): name is ExitName =>
  Object.hasOwn(exits, name),
);
