/** Proves a key with a call that costs nothing. */
import type * as z from 'zod/mini';
import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { getBalance, type Balance } from '../../contract/billing.js';
import { ApiError } from '../../errors.js';
import { baseUrlText } from '../../state/rules.js';

/** What to do about a refusal, by what was refused. */
export interface ProofHints {
  readonly unknownKey: string;
  readonly wrongAddress: string;
  readonly wrongUrl: string;
}

/**
 * The balance of the client's key.
 * @throws ApiError that says what 401, 403 and 404 mean here; whatever the call throws.
 */
export async function proveKey(
  client: Client,
  hints: ProofHints,
): Promise<z.output<typeof Balance>> {
  try {
    return (await call(client, getBalance, {})).data;
  } catch (error) {
    throw error instanceof ApiError ? explained(error, client.baseUrl, hints) : error;
  }
}

function explained(error: ApiError, baseUrl: URL, hints: ProofHints): ApiError {
  const service = baseUrlText(baseUrl);
  switch (error.status) {
    case 401:
      return retold(error, `${service} does not know this key (401)`, hints.unknownKey);
    case 403:
      return retold(
        error,
        `${service} knows the key, but not from this address (403): its allow-list lacks it`,
        hints.wrongAddress,
      );
    case 404:
      return retold(error, `${service} has no balance to ask for (404)`, hints.wrongUrl);
    default:
      return error;
  }
}

function retold(error: ApiError, message: string, hint: string): ApiError {
  const { status, code, requestIds, fields } = error;
  return new ApiError(message, { status, code, requestIds, fields, hint, cause: error });
}
