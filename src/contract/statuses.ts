/** What each status means (section 7), once. Rows list the statuses they may answer. */
export const statusMeanings: Readonly<Record<number, string>> = {
  200: 'done',
  201: 'created',
  202: 'accepted',
  206: 'the stretch of the file that was asked for',
  400: 'invalid request',
  401: 'key missing or invalid',
  402: 'insufficient balance',
  403: "client address not in the key's allow-list",
  404: 'not found',
  409: 'conflict with the current state',
  410: 'result past its retention',
  413: 'request too large',
  415: 'unsupported attachment type',
  416: 'the file has no bytes where the range begins',
  422: 'the request cannot run as written',
  429: 'rate limit exceeded',
  500: 'the service failed',
  502: 'provider refused or failed',
  503: 'temporarily unavailable',
  504: 'not finished at the deadline',
};

/**
 * What section 4 leaves to sections 5 and 7: any endpoint may fail or be busy; one that takes a key
 * may refuse two different keys, an address or a pace; one that takes a body or a query may find it
 * invalid, and a body too large; an Idempotency-Key may be taken.
 */
export const unlistedStatuses = {
  any: [500, 503],
  keyed: [400, 403, 429],
  withBody: [400, 413],
  withQuery: [400],
  once: [409],
} as const;
