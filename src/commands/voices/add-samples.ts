import { addVoiceSamples, type Voice, type VoiceSamplesAdded } from '../../api/voices.js';
import type { Handler } from '../../cli/declaration.js';
import * as limits from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { inSeconds, readSamples, travelling } from './samples.js';
import type { addSamples } from './index.js';
import { whileSending } from '../sending.js';
import { whichVoice } from './delete.js';

/** Adds recordings to a voice. */
export const run: Handler<typeof addSamples> = async (context, { args, options }) => {
  const { flags, out } = context;
  const { samples, seconds } = await readSamples(context, args.recordings);
  const client = await context.client();
  const voice = await whichVoice(context, client, args.voice);
  assertFits(voice, seconds);
  const { body, payload } = travelling(samples, flags, (values) => ({
    samples: values,
    ...(options.removeBackgroundNoise ? { remove_background_noise: true } : {}),
  }));
  const added = await whileSending(context, payload, 'adding the recordings', (counted) =>
    addVoiceSamples(client, voice.id, { body, payload: counted }),
  );
  if (flags.json) await out.json(added);
  else out.note(addedWords(voice, added));
};

/** What the service would refuse, told before all the bytes are sent. */
function assertFits({ engine, name, sample_seconds }: Voice, seconds: number): void {
  const who = name ? `"${plainText(name, 80)}"` : 'the voice';
  if (engine && engine !== 'extvoice') {
    throw new UsageError(
      `${who} is a voice of the engine ${plainText(engine, 40)}; only those of extvoice take more recordings`,
      { code: 'voice_samples_unsupported' },
    );
  }
  const all = (sample_seconds ?? 0) + seconds;
  if (all <= limits.voice.totalSeconds) return;
  throw new UsageError(
    `${who} would have ${inSeconds(all)} of recordings; a voice takes ${limits.voice.totalSeconds} s`,
    { code: 'voice_samples_limit' },
  );
}

/** `narrator: added 1, it has 4 recordings now of 41.5 s` */
function addedWords(voice: Voice, added: VoiceSamplesAdded): string {
  const { samples_added: more, sample_count: count, voice: after } = added;
  const how = typeof more === 'number' ? `added ${more}` : 'recordings added';
  const many = typeof count === 'number' ? `, it has ${count} recordings now` : '';
  const seconds = after?.sample_seconds;
  const long = typeof seconds === 'number' ? ` of ${inSeconds(seconds)}` : '';
  return `${plainText(voice.name ?? voice.id, 80)}: ${how}${many}${long}`;
}
