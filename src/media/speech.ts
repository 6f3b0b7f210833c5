/** A text to speak: its requests, its names and its voice. */
import { createHash } from 'node:crypto';
import type { SpeechBody } from '../api/audio.js';
import { findVoice, listVoices, quoted, voicesCalled } from '../api/voices.js';
import type { speechFormats } from '../contract/enums.js';
import { voice as voiceLimits } from '../contract/limits.js';
import { ApiError, UsageError } from '../errors.js';
import { progressWriter, type JobEnv } from '../jobs/job.js';
import { safeFileName } from '../lib/file-name.js';
import { textOf } from '../lib/json.js';
import { nearest } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { knownModel } from './model.js';
import { choicesOf, optionsOf } from './model-options.js';

export type SpeechFormat = (typeof speechFormats)[number];

export interface SpeakRequest {
  /** The text, in pieces that one request accepts. */
  readonly pieces: readonly string[];
  /** Of all pieces. */
  readonly characters: number;
  /** Blank characters that are part of no piece. */
  readonly blanksLeftOut: number;
  readonly model: string;
  /** An id or a name, as the service takes it. */
  readonly voice: string | undefined;
  /** Undefined leaves it to the model. */
  readonly format: SpeechFormat | undefined;
  readonly speed: number | undefined;
}

export function bodyFor(request: SpeakRequest, index: number): SpeechBody {
  const { pieces, model, voice, format, speed } = request;
  return { model, input: pieces[index] ?? '', voice, response_format: format, speed };
}

export function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Equal only for equal requests, whose audio may be joined. */
export function fingerprint({ pieces, model, voice, format, speed }: SpeakRequest): string {
  return sha256([pieces, model, voice, format, speed]);
}

/** The same name for the same speech, so that its pieces are found again. */
export function fileStem(request: SpeakRequest): string {
  const model = request.model.replace(/[^A-Za-z0-9._-]+/g, '-');
  return safeFileName(`${model}-${fingerprint(request).slice(0, 8)}`) ?? 'speech';
}

/** The account's own voices come first, by id and then by name. @throws UsageError */
export async function voiceFor(env: JobEnv, model: string, name: string): Promise<string> {
  const { context, client } = env;
  const say = progressWriter(context);
  const word = name.trim();
  if (context.flags.dryRun) return word;
  const isLikeId = voiceLimits.id.test(word);
  const cloned = await listVoices(client).then(
    ({ voices }) => voices,
    (error: unknown) => {
      // A key may speak but not list voices; a service may have no list.
      const isNone = error instanceof ApiError && [404, 405, 501].includes(error.status);
      if (!isNone && !(error instanceof ApiError && isLikeId)) throw error;
      say(`cloned voices cannot be listed: ${error.message}`);
      return undefined;
    },
  );
  if (!cloned && isLikeId) return word;
  if (cloned && (isLikeId || voicesCalled(cloned, word).length > 0)) {
    return findVoice(cloned, word).id;
  }
  const { capability } = await knownModel(env, model);
  const own = optionsOf((capability?.operations ?? []).map(({ schema }) => schema))
    .filter(({ name }) => name === 'voice')
    .flatMap(({ schemas }) => choicesOf(schemas))
    .flatMap((choice) => textOf(choice) ?? []);
  if (own.includes(word)) return word;
  const names = (cloned ?? []).flatMap(({ name }) => name ?? []);
  const similar = nearest(word, [...own, ...names]);
  const guess = similar === undefined ? '' : `; did you mean ${quoted(similar)}?`;
  if (own.length > 0) {
    throw new UsageError(`there is no voice ${quoted(word)}${guess}`, {
      code: 'unknown_voice',
      hint: `${model} has ${plainText(own.join(', '), 200)}; yours: \`svc voices list\``,
    });
  }
  // A model that does not list its voices decides which names are valid.
  if (similar !== undefined) say(`none of your voices is named ${quoted(word)}${guess}`);
  return word;
}
