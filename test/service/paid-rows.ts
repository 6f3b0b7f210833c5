/** The rows that are paid and sent once, each with a request that it takes. */
import { formRequest } from '../helpers/form-request.js';
import type { Service } from '../../src/service/service.js';
import { wav } from './media/tones.js';

const origin = 'http://any.example';
const recording = Buffer.from(wav(5));

/** What a call is like: `taskId` names a film for an extension, `other` asks for something else. */
export interface Asked {
  readonly key?: string;
  readonly taskId?: string;
  readonly other?: boolean;
  readonly bearer?: string;
}

export interface PaidRow {
  readonly id: string;
  readonly status: number;
  /** What one call costs. */
  readonly rub: number;
  readonly call: (service: Service, asked: Asked) => Promise<Response>;
}

function headersOf({ key, bearer = 'sk-svc-local' }: Asked): Record<string, string> {
  const authorization = `Bearer ${bearer}`;
  return key === undefined ? { authorization } : { authorization, 'Idempotency-Key': key };
}

function jsonRow(
  id: string,
  status: number,
  rub: number,
  path: string,
  bodyOf: (word: string, asked: Asked) => object,
): PaidRow {
  const call: PaidRow['call'] = (service, asked) =>
    service.fetch(
      new Request(origin + path, {
        method: 'POST',
        headers: { ...headersOf(asked), 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(asked.other ? 'a storm' : 'a lighthouse', asked)),
      }),
    );
  return { id, status, rub, call };
}

async function transcribe(service: Service, asked: Asked): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob([asked.other ? Buffer.from(wav(6)) : recording]), 'any.wav');
  form.set('model', 'local/transcribe');
  const url = `${origin}/v1/audio/transcriptions`;
  return service.fetch(await formRequest(url, form, headersOf(asked)));
}

export const paidRows: readonly PaidRow[] = [
  jsonRow('media.generate', 202, 2.4, '/api/media/generate', (prompt) => ({
    model: 'canvas',
    prompt,
  })),
  jsonRow('images.create', 200, 2.4, '/v1/images/generations', (prompt) => ({
    model: 'canvas',
    prompt,
  })),
  jsonRow('media.extend', 202, 7.2, '/api/media/svc/extend', (prompt, { taskId }) => ({
    taskId,
    prompt,
    tier: 'lite',
  })),
  // The recording is so long that it is taken out of the body as it arrives.
  jsonRow('voices.create', 201, 50, '/api/media/voices', (name) => ({
    name,
    consent: true,
    audio_base64: recording.toString('base64'),
  })),
  jsonRow('audio.speech', 200, 0.1, '/v1/audio/speech', (input) => ({
    model: 'local/voice',
    input,
  })),
  { id: 'audio.transcription', status: 200, rub: 0.1, call: transcribe },
];
