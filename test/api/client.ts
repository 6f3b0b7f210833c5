/** A client over a script. */
import type { Client } from '../../src/api/client.js';
import { brandFrom } from '../../src/contract/brand.js';
import { SkippingClock } from '../helpers/manual-clock.js';
import { scripted, type Scripted, type Step } from '../helpers/scripted-transport.js';

export const key = 'sk-svc-0123456789abcdef';

export interface TestClient extends Client {
  readonly requests: Scripted['requests'];
  readonly clock: SkippingClock;
}

/** @param more what is different about it. */
export function clientOver(
  steps: readonly [Step, ...Step[]],
  more: Partial<Client> = {},
): TestClient {
  const { transport, requests } = scripted(...steps);
  const clock = new SkippingClock();
  return {
    baseUrl: new URL('https://service.test/base'),
    brand: brandFrom('svc'),
    key,
    transport,
    timeouts: {},
    signal: new AbortController().signal,
    userAgent: 'svc-cli/test',
    ...more,
    requests,
    clock,
  };
}

/** A JSON answer. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Step {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}
