/** POST /v1/audio/transcriptions: the recording goes to disk as it arrives, and is gone after. */
import { createTranscription, TranscriptionRequest } from '../../contract/audio.js';
import { json, type Call } from '../call.js';
import { badRequest, ServiceFailure } from '../failure.js';
import { claimOf } from '../idempotency.js';
import type { WrittenFile } from '../folder.js';
import { measure } from '../media/engines/measure.js';
import { MediaRefusal, type ByteSource, type MeasuredAudio } from '../media/engines/types.js';
import { heard, transcribe } from '../media/engines/transcribe.js';
import { readAt } from '../media/sources.js';
import { formParts, type FormPart } from '../multipart.js';
import { parse } from '../parse.js';
import { jobOf, pay, routeTo } from './route.js';

const { field, maxBytes } = createTranscription.files;
/** What the other fields of a form may take. */
const formBytes = 64 * 1024;
const names = { 'opts.language': 'language' };

export async function transcription(call: Call): Promise<Response> {
  const { folder } = call.house.media;
  // Should this process die, the file goes with other parts that were left behind.
  const name = `heard_${call.house.newId()}.part`;
  try {
    const { fields, byteLength, sha256 } = await receive(call, name);
    const { model, language } = parse(TranscriptionRequest, fields);
    const claim = claimOf(call, 'audio.transcription', { fields, sha256 });
    const route = await routeTo(call, model, transcribe, 'write down what a recording says');
    const handle = await folder.open('files', name);
    if (!handle) throw new Error('the recording that was just written is not there');
    try {
      const source = readAt(handle, byteLength);
      const measured = await recordingIn(source);
      const opts = { audio_file_id: name, ...(language === undefined ? {} : { language }) };
      const { priceRub } = jobOf(route, { opts }, names).price({ audio: measured });
      const { text } = await heard(source, measured);
      return json({ text }, 200, pay(call, claim, route, priceRub));
    } finally {
      await handle.close();
    }
  } finally {
    await folder.remove('files', name);
  }
}

interface Received extends WrittenFile {
  readonly fields: Readonly<Record<string, string>>;
}

async function receive({ house, request }: Call, name: string): Promise<Received> {
  const fields: Record<string, string> = {};
  let written: WrittenFile | undefined;
  for await (const part of formParts(request, maxBytes + formBytes)) {
    if (part.name !== field) {
      fields[part.name] = await textOf(part);
    } else {
      if (written) throw badRequest(`the form has more than one ${field}`, field);
      written = await house.media.folder.write('files', name, within(part.bytes));
    }
  }
  if (!written) throw badRequest(`the form has no ${field}`, field);
  if (written.byteLength === 0) throw badRequest(`the ${field} is empty`, field);
  return { fields, ...written };
}

async function* within(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.byteLength;
    if (size > maxBytes) {
      const message = `the ${field} is larger than ${maxBytes} bytes`;
      const fields = { max_body_bytes: maxBytes };
      throw new ServiceFailure(413, 'payload_too_large', message, { param: field, fields });
    }
    yield piece;
  }
}

async function textOf({ name, bytes }: FormPart): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    size += piece.byteLength;
    if (size > formBytes) throw badRequest(`the field ${name.slice(0, 60)} is too long`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function recordingIn(source: ByteSource): Promise<MeasuredAudio> {
  try {
    const measured = await measure(source);
    if (measured.kind === 'audio') return measured;
    throw badRequest(`the ${field} is ${measured.mediaType}, no recording`, field, 'invalid_audio');
  } catch (error) {
    if (!(error instanceof MediaRefusal)) throw error;
    throw badRequest(
      `the ${field} is no WAV, FLAC, MP3 or M4A recording, or it is damaged`,
      field,
      'invalid_audio',
    );
  }
}
