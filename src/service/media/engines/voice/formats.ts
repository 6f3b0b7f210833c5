/** The formats that speech comes in. */
import type { speechFormats } from '../../../../contract/enums.js';
import { littleEndian, soundBytes } from '../wav/write.js';
import { encodeFlac } from './flac.js';
import { speechFile } from './make.js';
import { encodeMp3 } from './mp3.js';
import { speak, type Speech } from './speak.js';

type SpeechFormat = (typeof speechFormats)[number];

/** A text as it is heard, made as it is read. */
export interface SpokenBytes {
  readonly mediaType: string;
  /** Absent where it is not known before the end. */
  readonly byteLength?: number;
  bytes(): AsyncIterable<Uint8Array>;
}

type Encode = (speech: Speech) => SpokenBytes;

const encoders = {
  wav: (speech) => speechFile(speech),
  mp3: (speech) => ({
    mediaType: 'audio/mpeg',
    bytes: () => encodeMp3(speak(speech), speech.text),
  }),
  flac: (speech) => ({
    mediaType: 'audio/flac',
    bytes: () => encodeFlac(speak(speech), speech.text),
  }),
  // 24 kHz, mono, 16 bits, little-endian: what the type says beside its name. No text can stand in it.
  pcm: (speech) => {
    const sound = speak(speech);
    const mediaType = `audio/pcm;rate=${sound.sampleRate};channels=${sound.channels}`;
    return { mediaType, byteLength: soundBytes(sound), bytes: () => littleEndian(sound) };
  },
} satisfies Partial<Record<SpeechFormat, Encode>>;

/** A format that is made here. */
export type MadeFormat = keyof typeof encoders;

/** What comes when no format is named: what the synthesiser makes by itself. */
export const nativeFormat: MadeFormat = 'wav';

/** The formats that there are. */
export const madeFormats: readonly string[] = Object.keys(encoders);

export function isMade(format: unknown): format is MadeFormat {
  return typeof format === 'string' && Object.hasOwn(encoders, format);
}

/** Speech in a format. */
export function spokenBytes(speech: Speech, format: MadeFormat): SpokenBytes {
  const encode: Encode = encoders[format];
  return encode(speech);
}
