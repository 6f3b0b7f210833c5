/** A service that speaks: a WAV file whose comment is the text, and whose sound is as long. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { recordOf } from '../../../src/lib/json.js';
import { bentService, type BentService } from '../../helpers/bent-service.js';
import type { Seen } from '../../helpers/fake-service.js';
import { comment, tones, wav } from '../../lib/audio/files.js';

export interface Talker extends BentService {
  /** Paths of all files below the folder. */
  readonly files: () => string[];
}

/** The sound of a text. */
export function sound(text: string): Buffer {
  return tones([Array.from(text).length, 0.5]);
}

export function recording(text: string): Buffer {
  return wav(sound(text), { after: [comment(text)] });
}

export async function talker(): Promise<Talker> {
  const at = await bentService(answer, [], { tty: { stdin: true } });
  const files = () =>
    readdirSync(at.folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(at.path(name)).isFile())
      .sort();
  return Object.assign(at, { files });
}

function answer({ url, body }: Seen, response: ServerResponse, count: number): void {
  if (url === '/v1/audio/speech') {
    const bytes = recording(String(recordOf(JSON.parse(body))['input']));
    const id = `gen_${String(count)}`;
    response.writeHead(200, { 'content-type': 'audio/wav', 'x-svc-generation-id': id });
    response.end(bytes);
    return;
  }
  const json = answers[url.replace(/\?.*/, '')];
  response.writeHead(json ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json ?? { error: { message: 'no such thing' } }));
}

const voice = { id: 'voice_0123456789abcdefghij', name: 'Anna', status: 'active' };
const answers: Readonly<Record<string, unknown>> = {
  '/api/media/voices': {
    voices: [
      voice,
      { ...voice, id: 'voice_aaaaaaaaaaaaaaaaaaaa', name: 'Twin' },
      { ...voice, id: 'voice_bbbbbbbbbbbbbbbbbbbb', name: 'Twin' },
    ],
  },
  '/v1/balance': { balance_rub: 90, currency: 'RUB' },
  '/v1/generations/gen_1': { id: 'gen_1', priceRub: 2 },
  '/v1/generations/gen_2': { id: 'gen_2', priceRub: 3 },
  '/v1/model-capabilities': {
    models: [
      {
        id: 'vendor/voice',
        operations: [
          {
            requestJsonSchema: {
              properties: {
                opts: {
                  properties: {
                    voice: { anyOf: [{ enum: ['alto', 'tenor'] }, { pattern: '^v' }] },
                  },
                },
              },
            },
          },
        ],
      },
    ],
    pagination: { page: 1, pageSize: 100, total: 1, totalPages: 1 },
  },
};

export const read = (path: string) => readFileSync(path);
