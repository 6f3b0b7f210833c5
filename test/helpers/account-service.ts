/** A service of a few lines that knows one key and answers for its balance. */
import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';

export interface AccountService {
  readonly origin: string;
  /** Method, path and key of each request, as they came. */
  readonly requests: string[];
}

export interface AccountAnswer {
  readonly status?: number;
  readonly body?: unknown;
}

export const goodKey = 'sk-svc-0123456789abcdef';

/** Listens on this machine until the running test ends; knows `goodKey` unless told otherwise. */
export async function accountService(
  answer: (key: string) => AccountAnswer = knowsGoodKey,
): Promise<AccountService> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const key = keyOf(request);
    requests.push(`${request.method ?? ''} ${request.url ?? ''} ${key}`);
    const { status = 200, body } = answer(key);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { origin: `http://127.0.0.1:${String(port)}`, requests };
}

function knowsGoodKey(key: string): AccountAnswer {
  return key === goodKey
    ? { body: { balance_rub: 12.5, currency: 'RUB' } }
    : { status: 401, body: { error: 'unknown key' } };
}

function keyOf(request: IncomingMessage): string {
  return (request.headers.authorization ?? '').replace(/^Bearer /, '');
}
