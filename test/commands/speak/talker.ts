/** A service that speaks: a WAV file whose comment is the text, and whose sound is as long. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { front, type Answer, type Front, type Rule } from '../../helpers/front.js';
import { comment, tones, wav } from '../../lib/audio/files.js';

export interface Talker extends Front {
  /** Where speech is saved to. */
  readonly folder: string;
  /** A path in the folder. */
  readonly path: (name: string) => string;
  /** Paths of all files below the folder. */
  readonly files: () => string[];
  /** From now on this happens to requests for speech. */
  readonly speech: (rule: Rule) => void;
}

/** The sound of a text. */
export function sound(text: string): Buffer {
  return tones([Array.from(text).length, 0.5]);
}

export function recording(text: string): Buffer {
  return wav(sound(text), { after: [comment(text)] });
}

/** Each run of svc has settings and data of its own. */
export async function talker(): Promise<Talker> {
  const at = await front({
    standIn: ({ url, body }, posts) => {
      if (url !== '/v1/audio/speech') return replies[url.replace(/\?.*/, '')];
      const headers = { 'content-type': 'audio/wav', 'x-svc-generation-id': `gen_${posts}` };
      return { bytes: recording(String(recordOf(JSON.parse(body))['input'])), headers };
    },
    usual: { tty: { stdin: true }, home: undefined },
  });
  const folder = testFolder();
  const path = (name: string) => join(folder, name);
  const files = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(path(name)).isFile())
      .sort();
  return { ...at, folder, path, files, speech: (rule) => at.on('audio.speech', rule) };
}

const voice = { id: 'voice_0123456789abcdefghij', name: 'Anna', status: 'active' };
const twins = ['a', 'b'].map((one) => ({ ...voice, id: `voice_${one.repeat(20)}`, name: 'Twin' }));
const known = { voice: { anyOf: [{ enum: ['alto', 'tenor'] }, { pattern: '^v' }] } };
const requestJsonSchema = { properties: { opts: { properties: known } } };
const replies: Readonly<Record<string, Answer>> = {
  '/api/media/voices': { json: { voices: [voice, ...twins] } },
  // It does not know Idempotency-Keys of speech.
  '/api/openapi': { json: { paths: {} } },
  '/v1/balance': { json: { balance_rub: 90, currency: 'RUB' } },
  '/v1/generations/gen_1': { json: { id: 'gen_1', priceRub: 2 } },
  '/v1/generations/gen_2': { json: { id: 'gen_2', priceRub: 3 } },
  '/v1/model-capabilities': {
    json: {
      models: [{ id: 'vendor/voice', operations: [{ requestJsonSchema }] }],
      pagination: { page: 1, pageSize: 100, total: 1, totalPages: 1 },
    },
  },
};

export const read = (path: string) => readFileSync(path);
