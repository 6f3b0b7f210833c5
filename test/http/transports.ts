import { onTestFinished } from 'vitest';
import { createRoute } from '../../src/http/attempt.js';
import { createPoolTransport } from '../../src/http/pool.js';
import type { Transport } from '../../src/http/types.js';

export type Open = (baseUrl: URL, connections?: number) => Promise<Transport>;

/** A pool for the length of a test. */
export const pooled: Open = async (baseUrl, connections = 1) => {
  const { transport, close } = await createPoolTransport({ env: {}, baseUrl, connections });
  onTestFinished(close);
  return transport;
};

/** Both must mean the same by an answer or a failure. */
export const transports: [name: string, open: Open][] = [
  ['a single attempt', () => Promise.resolve(createRoute())],
  ['a pool', pooled],
];
