/** Fields that the specification does not name: most services take them, a strict one refuses them. */
import { ApiError } from '../errors.js';
import type { Client } from './client.js';

/**
 * Sends a request with such a field; once more without it where the service refuses it by its name,
 * and from then on without it.
 * @param name what a refusal calls it; matched as a word.
 * @throws what `send` throws.
 */
export async function withUnnamed<Result>(
  client: Client,
  name: RegExp,
  send: (isSent: boolean) => Promise<Result>,
): Promise<Result> {
  const refused = await client.refused?.();
  if (refused?.has(name.source)) return send(false);
  try {
    return await send(true);
  } catch (error) {
    if (!isOf(name, error)) throw error;
    refused?.add(name.source);
    return send(false);
  }
}

/** A refusal of the request itself: nothing was done for it. */
function isOf(name: RegExp, error: unknown): boolean {
  if (!(error instanceof ApiError) || ![400, 422].includes(error.status)) return false;
  const { earlierUnknown, message, fields } = error;
  return !earlierUnknown && name.test(`${message} ${JSON.stringify(fields)}`);
}
