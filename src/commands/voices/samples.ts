import { addVoiceSamples } from '../../api/voices.js';
import type { Handler } from '../../context.js';
import { voice as limits } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { inSeconds, readSamples, withRecordings } from '../../media/samples.js';
import { whileSending } from '../../media/sending.js';
import type { addSamples } from './index.js';
import { resolveVoice } from './list.js';

export const run: Handler<typeof addSamples> = async (context, { args, options }) => {
  const { flags, out } = context;
  const { samples, seconds } = await readSamples(context, args.recordings);
  const client = await context.client();
  const voice = await resolveVoice(context, client, args.voice);
  const { engine } = voice;
  const who = voice.name ? `"${plainText(voice.name, 80)}"` : 'the voice';
  if (engine && engine !== 'extvoice') {
    throw new UsageError(
      `${who} is a voice of engine ${plainText(engine, 40)}; only extvoice voices accept more recordings`,
      { code: 'voice_samples_unsupported' },
    );
  }
  const all = (voice.sample_seconds ?? 0) + seconds;
  if (all > limits.totalSeconds) {
    throw new UsageError(
      `${who} would have ${inSeconds(all)} of recordings; a voice may have ${limits.totalSeconds} s`,
      { code: 'voice_samples_limit' },
    );
  }
  const { body, payload } = withRecordings(samples, flags, (values) => ({
    samples: values,
    ...(options.removeBackgroundNoise ? { remove_background_noise: true } : {}),
  }));
  const added = await whileSending(context, payload, 'adding the recordings', (counted) =>
    addVoiceSamples(client, voice.id, { body, payload: counted }),
  );
  if (flags.json) return out.json(added);
  const { samples_added: more, sample_count: count, voice: after } = added;
  const has = count === undefined || count === null ? '' : `, ${count} recordings in total`;
  const length = after?.sample_seconds;
  const long = length === undefined || length === null ? '' : `, ${inSeconds(length)}`;
  const name = plainText(voice.name ?? voice.id, 80);
  const how = more === undefined || more === null ? 'recordings added' : `added ${more}`;
  out.note(`${name}: ${how}${has}${long}`);
};
