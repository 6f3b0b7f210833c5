/** Whom --voice means: a cloned voice by its name, or a voice of the model. */
import { findVoice, listVoices, voicesCalled, type Voice } from '../../api/voices.js';
import { voice as limits } from '../../contract/limits.js';
import { ApiError, UsageError } from '../../errors.js';
import { isRecord, listOf, recordOf, textOf } from '../../lib/json.js';
import { nearest } from '../../lib/nearest.js';
import { plainText } from '../../lib/plain-text.js';
import { knownModel } from '../generate/model.js';
import { sayer } from '../jobs/sayer.js';
import type { JobWorld } from '../jobs/world.js';

/**
 * What to send for --voice. The id of a voice is sent as it is; of a word it is asked first whether
 * a cloned voice is called so.
 * @throws UsageError for a word that surely names no voice, with the nearest, or that names several.
 */
export async function voiceFor(world: JobWorld, model: string, given: string): Promise<string> {
  const { context } = world;
  const word = given.trim();
  // A dry run sends nothing, so nobody can be asked.
  if (limits.id.test(word) || context.flags.dryRun || context.flags.curl) return word;
  const cloned = await clonedVoices(world);
  if (voicesCalled(cloned, word).length > 0) return findVoice(cloned, word).id;
  const own = await voicesOf(world, model);
  if (own.includes(word)) return word;
  const names = cloned.flatMap(({ name }) => name ?? []);
  if (own.length > 0) throw noSuchVoice([...own, ...names], { word, model, own });
  // Voices are the model's own affair: where it does not tell them, the word is for it to judge.
  const meant = nearest(word, names);
  if (meant !== undefined) {
    sayer(context)(`none of your voices is called ${quoted(word)}; did you mean ${quoted(meant)}?`);
  }
  return word;
}

/** A service without cloned voices has none of any name. */
async function clonedVoices({ client, context }: JobWorld): Promise<readonly Voice[]> {
  try {
    return (await listVoices(client)).voices;
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 405, 501].includes(error.status)) throw error;
    sayer(context)(`cloned voices cannot be listed: ${error.message}`);
    return [];
  }
}

function noSuchVoice(
  names: readonly string[],
  { word, model, own }: { word: string; model: string; own: readonly string[] },
): UsageError {
  const meant = nearest(word, names);
  const guess = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
  return new UsageError(`there is no voice ${quoted(word)}${guess}`, {
    code: 'unknown_voice',
    hint: `${model} has ${plainText(own.join(', '), 200)}; yours: \`svc voices list\``,
  });
}

function quoted(text: string): string {
  return `"${plainText(text, 80)}"`;
}

/** The voices that a model names in what it takes; none when it does not tell. */
async function voicesOf(
  { context, client, account }: JobWorld,
  model: string,
): Promise<readonly string[]> {
  const asking = { context, client, account, refresh: false };
  const { capability } = await knownModel(asking, model);
  return (capability?.operations ?? []).flatMap(({ schema }) => {
    const opts = recordOf(recordOf(schema['properties'])['opts']);
    return wordsIn(recordOf(opts['properties'])['voice']);
  });
}

/** The words that a schema lists, in it or in what it is a choice of. */
function wordsIn(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const own = listOf(schema['enum']).flatMap((word) => textOf(word) ?? []);
  return [...own, ...['anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]).flatMap(wordsIn))];
}
