/** The exit codes and what they mean: one list for the program, its help and the reference. */

/** Frozen once released. */
export const exitCodes = {
  done: 0,
  bug: 1,
  usage: 2,
  refused: 3,
  key: 4,
  money: 5,
  unreached: 6,
  rateLimit: 7,
  pending: 8,
  jobFailed: 9,
  outcomeUnknown: 10,
  localFile: 11,
  incomplete: 12,
  notSo: 13,
  interrupted: 130,
  readerGone: 141,
  terminated: 143,
} as const;

/** What each tells a person, or a script that has to decide what to do next; in ascending order. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.bug, 'a bug in svc'],
  [exitCodes.usage, 'wrong usage or invalid input; nothing was sent'],
  [exitCodes.refused, 'the service refused the request'],
  [
    exitCodes.key,
    'no key, a wrong key, or a place it may not be used from; or settings that cannot be used',
  ],
  [exitCodes.money, 'the balance is too low, or the price is over the ceiling'],
  [
    exitCodes.unreached,
    'not reached, timed out or failing; surely nothing was charged: run it again',
  ],
  [exitCodes.rateLimit, 'the rate limit, after waiting as the service asked'],
  [exitCodes.pending, 'still under way; the id is printed'],
  [exitCodes.jobFailed, 'the job failed'],
  [exitCodes.outcomeUnknown, 'the outcome is unknown: it may have been carried out and charged'],
  [exitCodes.localFile, 'a local file could not be read or written'],
  [
    exitCodes.incomplete,
    'incomplete: a cut stream or list, a truncated file, a paid result that was not fetched, or some of several failed',
  ],
  [exitCodes.notSo, 'no: the answer is another than the one to exit on (decide --exit-on)'],
  [exitCodes.interrupted, 'interrupted (Ctrl-C)'],
  [exitCodes.readerGone, 'the reader of stdout went away'],
  [exitCodes.terminated, 'terminated (SIGTERM)'],
];
