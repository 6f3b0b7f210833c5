/** The formats that speech comes in. */
import type { speechFormats } from '../../../../contract/enums.js';
import { littleEndian, soundBytes } from '../wav/write.js';
import { encodeFlac } from './flac.js';
import { speechFile } from './make.js';
import { encodeMp3 } from './mp3.js';
import { speak, type Speech } from './speak.js';

export type SpeechFormat = (typeof speechFormats)[number];

/** A text as it is heard, made as it is read. */
export interface SpokenBytes {
  readonly mediaType: string;
  /** Absent where it is not known before the end. */
  readonly byteLength?: number;
  bytes(): AsyncIterable<Uint8Array>;
}

type Encode = (speech: Speech) => SpokenBytes;

const encoders: Readonly<Partial<Record<SpeechFormat, Encode>>> = {
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
};

/** What comes when no format is named: what the synthesiser makes by itself. */
export const nativeFormat: SpeechFormat = 'wav';

/** The formats that there are. */
export const madeFormats: readonly string[] = Object.keys(encoders);

/** Speech in a format; undefined for one that is not made here. */
export function spokenBytes(speech: Speech, format: SpeechFormat): SpokenBytes | undefined {
  return encoders[format]?.(speech);
}
