import type { Client } from '../../api/client.js';
import { findVoice, listVoices, type Voice } from '../../api/voices.js';
import type { Context } from '../../cli/context.js';
import * as limits from '../../contract/limits.js';

/**
 * The voice that a command line names by id or name. A dry run asks nobody: it takes an id as it
 * is.
 * @throws UsageError when there is none, or several; what `call` throws.
 */
export async function whichVoice(
  { flags }: Pick<Context, 'flags'>,
  client: Client,
  idOrName: string,
): Promise<Voice> {
  const isShown = flags.dryRun || flags.curl;
  if (isShown && limits.voice.id.test(idOrName)) return { id: idOrName };
  return findVoice((await listVoices(client)).voices, idOrName);
}
