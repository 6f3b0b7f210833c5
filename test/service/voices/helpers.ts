import { VoiceCreated, VoiceList, VoiceSamplesAdded } from '../../../src/contract/voices.js';
import { ask, get, read } from '../helpers.js';
import { send, type Opened, type Sent } from '../media/helpers.js';
import { wav as wavFile } from '../../lib/audio/files.js';
import { wav } from '../media/tones.js';

export const path = '/api/media/voices';
export const mb = 1024 * 1024;

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** A recording of so many seconds, as a sample. */
export function tone(seconds: number) {
  return { audio_base64: base64(wav(seconds)) };
}

/** A WAV file of exactly so many bytes, its sound as long as it has room for, as a sample. */
export function sized(bytes: number) {
  // Stereo at 192 kHz and 16 bits: ten megabytes are 13 seconds.
  const file = wavFile(Buffer.alloc(bytes - 44), { channels: 2, sampleRate: 192_000 });
  return { audio_base64: base64(file.subarray(0, bytes)) };
}

/** Asks for a voice that can be made, but for what is changed. */
export function clone(opened: Opened, changes: object = {}, sent?: Sent): Promise<Response> {
  return send(opened, path, { name: 'Ann', consent: true, ...tone(2), ...changes }, sent);
}

/** Asks for a voice that can have several recordings. */
export function cloneOf(opened: Opened, samples: readonly object[], changes: object = {}) {
  const body = { name: 'Ann', consent: true, engine: 'extvoice', samples, ...changes };
  return send(opened, path, body);
}

/** The voice of a reply, which must be one. */
export async function voiceIn(response: Response) {
  return { ...(await read(response, VoiceCreated, 201)), response };
}

/** A voice that must be made. */
export async function cloned(opened: Opened, changes?: object, sent?: Sent) {
  return voiceIn(await clone(opened, changes, sent));
}

/** A voice of three recordings, which takes more. */
export async function growing(opened: Opened) {
  return voiceIn(await cloneOf(opened, [tone(1), tone(1), tone(1)]));
}

/** The voices of an account, and what they cost. */
export function listed({ service }: Opened, key?: string) {
  return read(get(service, path, key), VoiceList);
}

/** Asks to delete a voice. */
export function remove(opened: Opened, id: string, key?: string) {
  return ask(opened, `${path}/${id}`, { method: 'DELETE', key });
}

/** Asks to add recordings to a voice. */
export function addTo(opened: Opened, id: string, samples: readonly object[], sent?: Sent) {
  return send(opened, `${path}/${id}/samples`, { samples }, sent);
}

/** Recordings that must be added. */
export function added(opened: Opened, id: string, samples: readonly object[]) {
  return read(addTo(opened, id, samples), VoiceSamplesAdded);
}
