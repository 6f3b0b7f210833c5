/** Lines of a batch against the embedded service, in a folder of the test's own. */
import { join } from 'node:path';
import { usagePage } from '../../src/api/billing.js';
import type { Client } from '../../src/api/client.js';
import { openMedia } from '../../src/batch/media.js';
import { BatchMoney, type Ceilings } from '../../src/batch/money.js';
import type { BatchRequest } from '../../src/batch/request.js';
import { createSend } from '../../src/batch/send.js';
import type { Endpoint } from '../../src/contract/endpoint.js';
import { SvcError } from '../../src/errors.js';
import type { Clock } from '../../src/lib/clock.js';
import { textOf } from '../../src/lib/json.js';
import { contextOver } from '../helpers/context.js';
import { testFolder } from '../helpers/folder.js';
import { PollingClock } from '../helpers/manual-clock.js';

export function lineOf(row: Endpoint, body: Record<string, unknown>, id = 'a'): BatchRequest {
  return { id, lineNumber: 1, row, model: textOf(body['model']), body: JSON.stringify(body) };
}

interface Given {
  readonly home?: string;
  readonly clock?: Clock;
  readonly budget?: string;
  readonly ceilings?: Ceilings;
  /** What differs in the client. */
  readonly bent?: (client: Client) => Partial<Client>;
}

/** As `svc batch run` puts it together. */
export async function localBatch({ budget, ceilings = {}, bent, ...given }: Given = {}) {
  const { home = testFolder(), clock = new PollingClock() } = given;
  const env = { SVC_CONFIG_DIR: home, SVC_LOCAL_JOB_TIME: '0' };
  const { context } = contextOver({
    flags: { local: true },
    env: budget === undefined ? env : { ...env, SVC_BUDGET: budget },
    clock,
  });
  const paying = await context.client();
  const client = { ...paying, spending: undefined, ...bent?.(paying) };
  const money = await BatchMoney.open(context, { ...paying, ...bent?.(paying) }, ceilings);
  const { send: post } = createSend(client, client.transport, money);
  const files = join(home, 'files');
  return {
    home,
    files,
    client,
    money,
    send: await openMedia(context, client, files, post),
    /** The price of each record, the oldest first. */
    charged: async () => {
      const { data } = await usagePage(client, {}, { limit: 100 });
      return data.map(({ priceRub }) => priceRub).reverse();
    },
  };
}

/** Its code and words. */
export async function failureOf(work: Promise<unknown> | (() => unknown)) {
  try {
    await (typeof work === 'function' ? work() : work);
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return `${error.name} ${error.code ?? ''}: ${error.message}${error.hint ? ` (${error.hint})` : ''}`;
  }
}
