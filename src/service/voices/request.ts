/** Reads the requests of voices: what does not fit is a 422, as section 7 says. */
import * as z from 'zod/mini';
import { voiceEngines } from '../../contract/enums.js';
import { voice as limits } from '../../contract/limits.js';
import { isRecord } from '../../lib/json.js';
import { ServiceFailure } from '../failure.js';
import { parse } from '../body.js';
import type { VoiceEngine } from './prices.js';
import type { Sample } from './recordings.js';
import { unfitRequest } from './refusals.js';

export interface VoiceWish {
  readonly name: string;
  readonly engine: VoiceEngine;
  readonly samples: readonly Sample[];
}

const longestName = 100;

const SampleShape = z.looseObject({
  audio_url: z.optional(z.string()),
  audio_base64: z.optional(z.string()),
});
/** The contract's own schema would answer with other codes for what recordings can be. */
const CreateShape = z.looseObject({
  name: z.string().check(
    z.trim(),
    z.refine((name) => name.length > 0 && name.length <= longestName && !/\p{Cc}/u.test(name), {
      error: `must be 1 to ${longestName} characters, without control characters`,
    }),
  ),
  consent: z.literal(true, { error: 'must be true: the speaker has to agree to being cloned' }),
  engine: z.optional(z.enum(voiceEngines)),
  audio_url: z.optional(z.string()),
  audio_base64: z.optional(z.string()),
  samples: z.optional(z.array(SampleShape)),
  remove_background_noise: z.optional(z.boolean()),
});
const AddShape = z.looseObject({
  samples: z.array(SampleShape),
  remove_background_noise: z.optional(z.boolean()),
});

/** The body of POST /api/media/voices. */
export function readCreateRequest(asked: unknown): VoiceWish {
  const body = fitting(CreateShape, asked);
  const own = { audio_url: body.audio_url, audio_base64: body.audio_base64 };
  const single = Object.values(own).some((given) => given !== undefined);
  const samples = [
    ...(single ? [sampleOf(own, 'the recording')] : []),
    ...samplesOf(body.samples ?? []),
  ];
  if (samples.length === 0) {
    throw unfitRequest(
      'the request has no recording: give audio_url, audio_base64 or samples',
      'samples',
    );
  }
  const engine = body.engine ?? 'standard';
  if (samples.length > 1 && engine !== 'extvoice' && samples.length <= limits.samples.max) {
    throw unfitRequest(
      `only the engine extvoice takes more than one recording, not ${engine}`,
      'engine',
    );
  }
  return { name: body.name, engine, samples };
}

/** The body of POST /api/media/voices/{id}/samples. */
export function readAddRequest(asked: unknown): readonly Sample[] {
  const { samples } = fitting(AddShape, asked);
  if (samples.length === 0)
    throw unfitRequest('samples must have at least one recording', 'samples');
  return samplesOf(samples);
}

function samplesOf(samples: readonly z.output<typeof SampleShape>[]): Sample[] {
  return samples.map((sample, index) => sampleOf(sample, `samples[${index}]`));
}

function sampleOf(
  { audio_url: url, audio_base64: base64 }: z.output<typeof SampleShape>,
  place: string,
): Sample {
  if ((url === undefined) === (base64 === undefined)) {
    throw unfitRequest(`${place} must have exactly one of audio_url and audio_base64`, place);
  }
  return { place, url, base64 };
}

function fitting<Schema extends z.ZodMiniType>(schema: Schema, body: unknown): z.output<Schema> {
  try {
    return parse(schema, isRecord(body) ? body : {});
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    throw unfitRequest(error.message, error.details.param);
  }
}
