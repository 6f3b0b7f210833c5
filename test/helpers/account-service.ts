/** A service that knows one key and answers for its balance. */
import { fakeService } from './fake-service.js';

interface AccountAnswer {
  readonly status?: number;
  readonly body?: unknown;
}

export const goodKey = 'sk-svc-0123456789abcdef';

/**
 * Listens on this machine until the running test ends; knows `goodKey` unless told otherwise.
 * `requests` are method, path and key of each, as they came.
 */
export async function accountService(answer: (key: string) => AccountAnswer = knowsGoodKey) {
  const requests: string[] = [];
  const { origin } = await fakeService(({ method, url, headers }, response) => {
    const key = (headers.authorization ?? '').replace(/^Bearer /, '');
    requests.push(`${method} ${url} ${key}`);
    const { status = 200, body } = answer(key);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  });
  return { origin, requests };
}

function knowsGoodKey(key: string): AccountAnswer {
  return key === goodKey
    ? { body: { balance_rub: 12.5, currency: 'RUB' } }
    : { status: 401, body: { error: 'unknown key' } };
}
