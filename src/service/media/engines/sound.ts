/** local/tune plays melodies, local/voice speaks. */
import * as z from 'zod/mini';
import { speech as speechLimits, voice as voiceLimits } from '../../../contract/limits.js';
import { defineModel, numberOption, randomFrom, seedOption } from './define.js';
import { priceOf, wholeKopecks } from './model.js';
import { encodeMp3, samplesIn, soundOf, voiceSoftware, wavFile, type Sound } from './recording.js';

const rubPerTuneSecond = 0.2;
const tuneRate = 44_100;
const tempoText = 'Beats per minute; by default the prompt decides';

export const tune = defineModel({
  id: 'local/tune',
  kind: 'music',
  summary: 'Composes a melody with a bass from a prompt',
  opts: {
    seconds: numberOption(1, 180, 15, 'Length in seconds; sets the price'),
    tempo: z.optional(z.int().check(z.gte(50), z.lte(200), z.describe(tempoText))),
    ...seedOption,
  },
  fromRub: rubPerTuneSecond,
  priceAxes: ['seconds'],
  defaultTookMs: 6000,
  price: ({ opts: { seconds } }) => priceOf({ rubPerSecond: rubPerTuneSecond, seconds }),
  make: ({ prompt, opts }) => {
    const { seconds, seed = 0 } = opts;
    const random = randomFrom('tune', prompt, seed);
    const ownTempo = 76 + Math.floor(random() * 64);
    const beatsPerMinute = opts.tempo ?? ownTempo;
    const sound = melody(random, beatsPerMinute, seconds);
    const notes = { ICMT: prompt, ISFT: 'svc local/tune' };
    return {
      files: [{ mediaType: 'audio/wav', ext: 'wav', bytes: wavFile(sound, notes).bytes }],
      resultMeta: { seconds, sampleRate: tuneRate, channels: 2, beatsPerMinute, seed },
    };
  },
});

const scale = [0, 2, 4, 7, 9, 12, 14, 16];

/** A tone on every beat, left of the center, and a bass on every fourth beat. */
function melody(random: () => number, beatsPerMinute: number, seconds: number): Sound {
  const beatFrames = (60 / beatsPerMinute) * tuneRate;
  const frames = Math.round(seconds * tuneRate);
  const root = 110 * 2 ** (Math.floor(random() * 12) / 12);
  const tones = Array.from({ length: Math.ceil(frames / beatFrames) }, () => {
    const step = scale[Math.floor(random() * scale.length)] ?? 0;
    return 2 * root * 2 ** (step / 12);
  });
  // A tone starts abruptly and fades to silence before the next.
  const tone = (hertz: number, at: number, length: number) =>
    Math.sin((2 * Math.PI * hertz * at) / tuneRate) * (1 - at / length) ** 2;
  return soundOf(tuneRate, 2, frames, () => (frame, channel) => {
    const hertz = tones[Math.floor(frame / beatFrames)] ?? root;
    const high = tone(hertz, frame % beatFrames, beatFrames);
    const low = tone(root, frame % (4 * beatFrames), 4 * beatFrames);
    const fading = Math.min(1, (frames - frame) / (0.4 * tuneRate));
    return (channel === 0 ? high * 0.45 + low * 0.25 : high * 0.3 + low * 0.4) * fading;
  });
}

export const rubPerThousandCharacters = 8;
const voiceRate = 24_000;

/** The pitch of each voice, how much it whispers (0 to 1), and how fast it speaks, as a factor. */
const voices = {
  alto: { hertz: 190, breath: 0.08, pace: 1 },
  soprano: { hertz: 255, breath: 0.05, pace: 1.1 },
  tenor: { hertz: 135, breath: 0.05, pace: 1.02 },
  bass: { hertz: 88, breath: 0.04, pace: 0.88 },
  robot: { hertz: 110, breath: 0, pace: 0.95 },
  whisper: { hertz: 150, breath: 1, pace: 0.92 },
} as const;
export const voiceNames = ['alto', 'soprano', 'tenor', 'bass', 'robot', 'whisper'] as const;

const error = `must be ${voiceNames.join(', ')}, or the id of a cloned voice`;
const cloned = z
  .string({ error })
  .check(z.regex(voiceLimits.id, { error }), z.describe('The id of a cloned voice'));
const anyone = z.union([z.enum(voiceNames), cloned]).check(z.describe('The voice'));
/** The options of a job, as it runs with them. */
export const VoiceOpts = z.object({
  voice: z._default(anyone, 'alto'),
  speed: numberOption(speechLimits.speed.min, speechLimits.speed.max, 1, '1 is normal'),
});

export const voice = defineModel({
  id: 'local/voice',
  kind: 'audio',
  summary: 'Speaks the prompt with a small synthesiser in several voices',
  opts: VoiceOpts.shape,
  fromRub: wholeKopecks(rubPerThousandCharacters / 1000),
  priceAxes: ['prompt'],
  defaultTookMs: 3000,
  price: ({ prompt }) =>
    priceOf({ rubPerThousandCharacters, characters: Array.from(prompt).length }, undefined, 1000),
  make: ({ prompt, opts }) => {
    const speech = { text: prompt, ...opts };
    const { sampleRate, channels, frames } = speak(speech);
    return {
      files: [{ ...spokenBytes(speech, 'wav'), ext: 'wav' }],
      resultMeta: { seconds: frames / sampleRate, sampleRate, channels, voice: opts.voice },
    };
  },
});

type Speech = z.output<typeof VoiceOpts> & { readonly text: string };

/** The supported formats; all but the last store the spoken text. */
export const speechFormats = ['wav', 'mp3', 'pcm'] as const;

/** Speech in a format, generated as it is read; the length of MP3 is unknown until its end. */
export function spokenBytes(speech: Speech, format: (typeof speechFormats)[number]) {
  const sound = speak(speech);
  const { text } = speech;
  if (format === 'wav') {
    return { mediaType: 'audio/wav', ...wavFile(sound, { ISFT: voiceSoftware, ICMT: text }) };
  }
  if (format === 'mp3') return { mediaType: 'audio/mpeg', bytes: () => encodeMp3(sound, text) };
  const mediaType = `audio/pcm;rate=${sound.sampleRate};channels=${sound.channels}`;
  return {
    mediaType,
    byteLength: sound.frames * sound.channels * 2,
    bytes: () => samplesIn(sound),
  };
}

/** The duration of a letter, and the volume of its voice and hiss, 0 to 1. */
function phoneOf(letter: string) {
  if (/[.!?…\n]/.test(letter)) return { tone: 0, hiss: 0, seconds: 0.3 };
  if (/[,;:—]/.test(letter)) return { tone: 0, hiss: 0, seconds: 0.16 };
  if (/[\p{Z}\p{C}\p{P}\p{M}]/u.test(letter)) return { tone: 0, hiss: 0, seconds: 0.06 };
  if (/[cfhkpqstxzкпстфхцчшщ]/iu.test(letter)) return { tone: 0, hiss: 0.3, seconds: 0.075 };
  if (/[aeiouyаеёиоуыэюя]/iu.test(letter)) return { tone: 0.5, hiss: 0, seconds: 0.105 };
  return { tone: 0.2, hiss: 0, seconds: 0.075 };
}

/** The sound of a text: mono, 24 kHz. Its length is known before the first sample. */
function speak({ text, voice: name, speed }: Speech): Sound {
  const { hertz, breath, pace } = voiceOf(name);
  let end = 0;
  const phones = Array.from(text === '' ? ' ' : text.toLowerCase(), (letter) => {
    const phone = phoneOf(letter);
    end += Math.max(96, Math.round((phone.seconds * voiceRate) / (speed * pace)));
    const pitch = 1 + (((letter.codePointAt(0) ?? 0) * 137) % 8) / 16;
    return { ...phone, turnsAFrame: (hertz * pitch) / voiceRate, end };
  });
  return soundOf(voiceRate, 1, end, () => {
    const random = randomFrom('breath', name);
    let [index, turns, tone, hiss] = [0, 0, 0, 0];
    return (frame) => {
      while (frame >= (phones[index]?.end ?? end)) index++;
      const phone = phones[index] ?? { tone: 0, hiss: 0, turnsAFrame: 0 };
      // Sounds blend into each other within milliseconds.
      tone += (phone.tone * (1 - breath) - tone) * 0.004;
      hiss += (phone.hiss + phone.tone * breath * 0.5 - hiss) * 0.004;
      turns += phone.turnsAFrame;
      return Math.sin(2 * Math.PI * turns) * tone + (random() * 2 - 1) * hiss;
    };
  });
}

/** A voice by its name; any other word, such as the id of a cloned voice, gets its own voice. */
function voiceOf(name: string) {
  const known = voiceNames.find((one) => one === name);
  if (known) return voices[known];
  const random = randomFrom('voice', name);
  return { hertz: 75 + 245 * random(), breath: 0.25 * random(), pace: 0.88 + 0.27 * random() };
}
