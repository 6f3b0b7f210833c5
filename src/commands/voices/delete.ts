import { deleteVoice, findVoice, listVoices, type Voice } from '../../api/voices.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import type { remove } from './index.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../cli/context.js';
import * as limits from '../../contract/limits.js';

/** Deletes a voice, once the person is sure. */
export const run: Handler<typeof remove> = async (context, { args }) => {
  const { flags, out, prompts } = context;
  const client = await context.client();
  const voice = await whichVoice(context, client, args.voice);
  const id = plainText(voice.id, 40);
  const what = voice.name ? `"${plainText(voice.name, 80)}" (${id})` : id;
  if (!flags.dryRun) {
    const message = `Delete the voice ${what}? It cannot be brought back.`;
    if (!(await prompts.confirm({ message, default: false }))) {
      throw new UsageError('nothing was deleted', { code: 'not_confirmed' });
    }
  }
  const reply = await deleteVoice(client, voice.id);
  if (flags.json) await out.json(reply);
  else out.note(`deleted ${what}`);
};

/** By id or name; a dry run asks nobody and takes an id as it is. @throws UsageError */
export async function whichVoice(
  { flags }: Pick<Context, 'flags'>,
  client: Client,
  idOrName: string,
): Promise<Voice> {
  if (flags.dryRun && limits.voice.id.test(idOrName)) return { id: idOrName };
  return findVoice((await listVoices(client)).voices, idOrName);
}
