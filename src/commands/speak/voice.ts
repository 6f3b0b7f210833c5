/** Whom --voice means: a cloned voice by its name, or a voice of the model. */
import { findVoice, listVoices, unknownVoice, voicesCalled, type Voice } from '../../api/voices.js';
import type { Context } from '../../cli/context.js';
import { voice as limits } from '../../contract/limits.js';
import { ApiError, UsageError } from '../../errors.js';
import { isRecord, listOf, recordOf, textOf } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { knownModel } from '../generate/model.js';
import { sayer } from '../jobs/sayer.js';
import type { JobWorld } from '../jobs/world.js';

/**
 * What to send for --voice. The account's own voices come first, by id and then by name: also a name
 * that looks like an id means the voice that is called so.
 * @throws UsageError for a word that surely names no voice, with the nearest, or that names several.
 */
export async function voiceFor(world: JobWorld, model: string, given: string): Promise<string> {
  const { context } = world;
  const word = given.trim();
  // A dry run sends nothing, so nobody can be asked.
  if (context.flags.dryRun || context.flags.curl) return word;
  const isLikeId = limits.id.test(word);
  const cloned = await clonedVoices(world, isLikeId);
  // Where nobody can tell, what looks like an id is one.
  if (!cloned && isLikeId) return word;
  if (cloned && voicesCalled(cloned, word).length > 0) {
    const { id } = findVoice(cloned, word);
    tellNamesakes(context, cloned, { id, word });
    return id;
  }
  if (cloned && isLikeId) throw unknownVoice(cloned, word);
  const own = await voicesOf(world, model);
  if (own.includes(word)) return word;
  const names = (cloned ?? []).flatMap(({ name }) => name ?? []);
  if (own.length > 0) throw noSuchVoice([...own, ...names], { word, model, own });
  // Voices are the model's own affair: where it does not tell them, the word is for it to judge.
  const meant = nearest(word, names);
  if (meant !== undefined) {
    sayer(context)(`none of your voices is called ${quoted(word)}; did you mean ${quoted(meant)}?`);
  }
  return word;
}

/**
 * Undefined where they cannot be listed: such a service has none of any name.
 * @param isLikeId such a word can do without the list, when that fails.
 */
async function clonedVoices(
  { client, context }: JobWorld,
  isLikeId: boolean,
): Promise<readonly Voice[] | undefined> {
  try {
    return (await listVoices(client)).voices;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A key may speak that may not list voices.
    if (!isLikeId && ![404, 405, 501].includes(error.status)) throw error;
    sayer(context)(`cloned voices cannot be listed: ${error.message}`);
    return undefined;
  }
}

/** Of a voice whose id is the name of others, which one speaks. */
function tellNamesakes(
  context: Context,
  voices: readonly Voice[],
  { id, word }: { id: string; word: string },
): void {
  const others = voices.filter((voice) => voice.name === word && voice.id !== id);
  if (id !== word || others.length === 0) return;
  const ids = others.map((voice) => plainText(voice.id, 40)).join(', ');
  sayer(context)(`${quoted(word)} is also what ${ids} is called; the voice of this id speaks`);
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
