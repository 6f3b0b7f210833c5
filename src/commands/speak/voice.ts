import { findVoice, listVoices, voicesCalled, type Voice } from '../../api/voices.js';
import { voice as limits } from '../../contract/limits.js';
import { ApiError, UsageError } from '../../errors.js';
import { progressWriter, type JobEnv } from '../../jobs/job.js';
import { isRecord, listOf, recordOf, textOf } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { knownModel } from '../generate/model.js';

/** What to send; the account's own voices come first, by id and then by name. @throws UsageError */
export async function voiceFor(world: JobEnv, model: string, given: string): Promise<string> {
  const { context } = world;
  const word = given.trim();
  // A dry run sends nothing, so nobody can be asked.
  if (context.flags.dryRun) return word;
  const isLikeId = limits.id.test(word);
  const cloned = await clonedVoices(world, isLikeId);
  if (!cloned && isLikeId) return word;
  if (cloned && (isLikeId || voicesCalled(cloned, word).length > 0)) {
    return findVoice(cloned, word).id;
  }
  const own = await voicesOf(world, model);
  if (own.includes(word)) return word;
  const names = (cloned ?? []).flatMap(({ name }) => name ?? []);
  const meant = nearest(word, [...own, ...names]);
  const guess = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
  if (own.length > 0) {
    throw new UsageError(`there is no voice ${quoted(word)}${guess}`, {
      code: 'unknown_voice',
      hint: `${model} has ${plainText(own.join(', '), 200)}; yours: \`svc voices list\``,
    });
  }
  // Voices are the model's own affair: where it does not tell them, the word is for it to judge.
  if (meant !== undefined) {
    progressWriter(context)(`none of your voices is called ${quoted(word)}${guess}`);
  }
  return word;
}

/** Undefined where they cannot be listed: such a service has none of any name. */
async function clonedVoices(
  { client, context }: JobEnv,
  isLikeId: boolean,
): Promise<readonly Voice[] | undefined> {
  try {
    return (await listVoices(client)).voices;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A key may speak that may not list voices.
    if (!isLikeId && ![404, 405, 501].includes(error.status)) throw error;
    progressWriter(context)(`cloned voices cannot be listed: ${error.message}`);
    return undefined;
  }
}

/** The voices that a model names in what it takes; none when it does not tell. */
async function voicesOf(
  { context, client, account }: JobEnv,
  model: string,
): Promise<readonly string[]> {
  const { capability } = await knownModel({ context, client, account }, model);
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

function quoted(text: string): string {
  return `"${plainText(text, 80)}"`;
}
