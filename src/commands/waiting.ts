/** Says it when a call waits because the service asked for it: otherwise svc would seem to hang. */
import type { Client } from '../api/client.js';
import type { Context } from '../cli/context.js';
import { durationWords } from '../lib/duration.js';

/** Shorter waits are over before they are read. */
const worthTellingMs = 1000;

/** The same client, telling people on stderr of each longer wait. */
export function tellsWaits({ out, flags }: Context, client: Client): Client {
  return {
    ...client,
    observe: (event) => {
      client.observe?.(event);
      if (event.kind !== 'wait' || event.delayMs < worthTellingMs) return;
      if (flags.json || flags.verbose) return;
      out.note(`waiting ${durationWords(event.delayMs)}: ${event.why}`);
    },
  };
}
