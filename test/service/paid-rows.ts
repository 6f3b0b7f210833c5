/** The rows that are paid and sent once, each with a request that it takes. */
import { formRequest } from '../helpers/form-request.js';
import { brandFrom, defaultBrand } from '../../src/contract/brand.js';
import { endpoints } from '../../src/contract/index.js';
import type { Service } from '../../src/service/service.js';
import { wav } from './media/tones.js';

const brand = brandFrom(defaultBrand);
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

function jsonRow(id: string, rub: number, bodyOf: (word: string, asked: Asked) => object): PaidRow {
  const row = endpoints.find((one) => one.id === id);
  if (!row) throw new Error(`no row ${id}`);
  const call: PaidRow['call'] = (service, asked) =>
    service.fetch(
      new Request(origin + brand.path(row.path), {
        method: 'POST',
        headers: { ...headersOf(asked), 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(asked.other ? 'a storm' : 'a lighthouse', asked)),
      }),
    );
  return { id, status: row.statuses[0], rub, call };
}

async function transcribe(service: Service, asked: Asked): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob([asked.other ? Buffer.from(wav(6)) : recording]), 'any.wav');
  form.set('model', 'local/transcribe');
  const url = `${origin}/v1/audio/transcriptions`;
  return service.fetch(await formRequest(url, form, headersOf(asked)));
}

export const paidRows: readonly PaidRow[] = [
  jsonRow('media.generate', 2.4, (prompt) => ({ model: 'canvas', prompt })),
  jsonRow('images.create', 2.4, (prompt) => ({ model: 'canvas', prompt })),
  jsonRow('media.extend', 7.2, (prompt, { taskId }) => ({ taskId, prompt, tier: 'lite' })),
  // The recording is so long that it is taken out of the body as it arrives.
  jsonRow('voices.create', 50, (name) => {
    return { name, consent: true, audio_base64: recording.toString('base64') };
  }),
  jsonRow('audio.speech', 0.1, (input) => ({ model: 'local/voice', input })),
  { id: 'audio.transcription', status: 200, rub: 0.1, call: transcribe },
];
