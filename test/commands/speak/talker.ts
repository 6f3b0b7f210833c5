/** A service that speaks: a WAV file whose comment is the text, and whose sound is as long. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { isRecord, textOf, type JsonRecord } from '../../../src/lib/json.js';
import { fakeService, type FakeService, type Seen } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, words, type RunOptions, type RunResult } from '../../helpers/run.js';
import { comment, tones, wav } from '../../lib/audio/files.js';

export interface Talker extends FakeService {
  readonly folder: string;
  /** Answers in the service's place when it returns true; `count` is 1 for the first speech. */
  instead: (request: Seen, response: ServerResponse, count: number) => boolean | void;
  svc(line: string | readonly string[], options?: RunOptions): Promise<RunResult>;
  /** The bodies of all requests for speech. */
  spoken(): JsonRecord[];
  /** All requests, as `POST /path`. */
  calls(): string[];
  /** Paths of all files below the folder. */
  files(): string[];
  path(name: string): string;
}

/** The sound of a text. */
export function sound(text: string): Buffer {
  return tones([Array.from(text).length, 0.5]);
}

export function recording(text: string): Buffer {
  return wav(sound(text), { after: [comment(text)] });
}

export async function talker(): Promise<Talker> {
  const folder = testFolder();
  const speeches = () => service.requests.filter(({ url }) => url === '/v1/audio/speech');
  const service: FakeService = await fakeService((request, response) => {
    if (at.instead(request, response, speeches().length) === true) return;
    answer(request, response, speeches().length);
  });
  const at: Talker = {
    ...service,
    folder,
    instead: () => false,
    svc: (line, options = {}) => {
      const all = typeof line === 'string' ? words(line) : line;
      return run(all, {
        tty: { stdin: true },
        ...options,
        env: { ...service.env, ...options.env },
      });
    },
    spoken: () => speeches().map(({ body }) => record(JSON.parse(body))),
    calls: () => service.requests.map(({ method, url }) => `${method} ${url}`),
    files: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(folder, name)).isFile())
        .sort(),
    path: (name) => join(folder, name),
  };
  return at;
}

function answer({ url, body }: Seen, response: ServerResponse, count: number): void {
  if (url === '/v1/audio/speech') {
    const bytes = recording(textOf(record(JSON.parse(body))['input']) ?? '');
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

function record(value: unknown): JsonRecord {
  if (!isRecord(value)) throw new Error('no object');
  return value;
}

export const read = (path: string) => readFileSync(path);
