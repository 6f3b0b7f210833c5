/** What each status means (section 7), once. Rows list the statuses they may answer. */
export const statusMeanings: Readonly<Record<number, string>> = {
  200: 'done',
  201: 'created',
  202: 'accepted',
  400: 'invalid request',
  401: 'key missing or invalid',
  402: 'insufficient balance',
  403: "client address not in the key's allow-list",
  404: 'not found',
  409: 'conflict with the current state',
  410: 'result past its retention',
  413: 'request too large',
  415: 'unsupported attachment type',
  422: 'the request cannot run as written',
  429: 'rate limit exceeded',
  500: 'the service failed',
  502: 'provider refused or failed',
  503: 'temporarily unavailable',
  504: 'not finished at the deadline',
};

/**
 * What section 4 leaves to sections 5 and 7: any endpoint that takes a key may refuse an address
 * or a pace, and any that takes a body or a query may find it invalid. An Idempotency-Key may be taken.
 */
export const unlistedStatuses = { keyed: [403, 429], withInput: [400], once: [409] } as const;
