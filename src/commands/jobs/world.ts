/** What every command about media jobs works with. */
import { withOneDeadline, type Client } from '../../api/client.js';
import type { Context } from '../../cli/context.js';
import { LocalFileError } from '../../errors.js';
import { newOwner, type Owner } from '../../files/owner.js';
import { accountOf, localService, type Account } from '../../state/account.js';
import type { LedgerEvent } from '../../state/ledger-fold.js';
import { openLedger, type Ledger } from '../../state/ledger.js';
import { baseUrlText } from '../../state/rules.js';

export interface JobWorld {
  readonly context: Context;
  readonly client: Client;
  readonly ledger: Ledger;
  /** Whose jobs these are. */
  readonly account: Account;
  /** This run, for the jobs that it begins or goes on with. */
  readonly owner: Owner;
}

/**
 * @param ledgerName `requests` for what makes no media job.
 * @throws ConfigError when no base URL or no key is known.
 */
export async function openJobs(
  context: Context,
  ledgerName?: 'jobs' | 'requests',
): Promise<JobWorld> {
  const client = withOneDeadline(await context.client());
  const { flags } = context;
  const profile = flags.local ? 'local' : context.settings().profile;
  const service = flags.local ? localService : baseUrlText(client.baseUrl);
  return {
    context,
    client,
    ledger: openLedger(context.paths, ledgerName),
    account: accountOf(profile, service, client.key ?? ''),
    owner: await newOwner(),
  };
}

type WithoutTime<Event> = Event extends LedgerEvent ? Omit<Event, 'atMs'> : never;

/** An event that happens now. */
export function now({ context }: JobWorld, event: WithoutTime<LedgerEvent>): LedgerEvent {
  return { ...event, atMs: context.clock.now() };
}

/**
 * Writes down what can be asked for again: where the disk takes no more, the work goes on without.
 */
export function note(world: JobWorld, event: WithoutTime<LedgerEvent>): void {
  try {
    world.ledger.append(now(world, event));
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    world.context.out.warn(error.message);
  }
}
