/** svc generate against a service that a test can bend. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, type JsonRecord } from '../../../src/lib/json.js';
import { FakeMedia, mediaService, type MediaService } from '../../helpers/fake-media.js';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { run, words, type RunOptions, type RunResult } from '../../helpers/run.js';
import { changeLedger, ledgerTexts } from '../../helpers/state.js';

/** A process id that no system gives. */
const nobody = 2 ** 31 - 2;

export interface Scene extends MediaService {
  /** Where -o points to. */
  readonly folder: string;
  /** Settings, data and cache. */
  readonly home: string;
  readonly clock: PollingClock;
  /** `svc LINE` in this scene. */
  svc(line: string | readonly string[], options?: RunOptions): Promise<RunResult>;
  /** `svc generate vendor/canvas LINE -o FOLDER/`. */
  make(line?: string | readonly string[], options?: RunOptions): Promise<RunResult>;
  /** What was asked, without the capabilities. */
  calls(): string[];
  /** The bodies of the calls to generate. */
  submitted(): JsonRecord[];
  /** The Idempotency-Keys of the calls to generate. */
  keys(): unknown[];
  /** The lines of the ledger. */
  ledger(): JsonRecord[];
  /** From now on the processes of the ledger are gone: that of the test lives on. */
  leave(): void;
  /** The files in the folder, by name. */
  files(): Record<string, Buffer>;
}

export async function scene(media = new FakeMedia()): Promise<Scene> {
  const service = await mediaService(media);
  const folder = testFolder();
  const home = testFolder();
  const clock = new PollingClock();
  const svc = (line: string | readonly string[], options: RunOptions = {}) =>
    run(line, { home, clock, ...options, env: { ...service.env, ...options.env } });
  const submissions = () => service.requests.filter(({ url }) => url === '/api/media/generate');
  return {
    ...service,
    folder,
    home,
    clock,
    svc,
    make: (line = 'a lighthouse', options = {}) => {
      const rest = typeof line === 'string' ? words(line) : line;
      return svc(['generate', 'vendor/canvas', ...rest, '-o', `${folder}/`], options);
    },
    calls: () =>
      service.requests
        .map(({ method, url }) => `${method} ${url}`)
        .filter((call) => !call.startsWith('GET /v1/model-capabilities')),
    submitted: () => submissions().map(({ body }) => record(JSON.parse(body))),
    keys: () => submissions().map(({ headers }) => headers['idempotency-key']),
    ledger: () => ledgerTexts(home).map((text) => record(JSON.parse(text))),
    leave: () => {
      changeLedger(home, (texts) =>
        texts.map((text) => text.replace(/"pid":\d+/g, `"pid":${nobody}`)),
      );
    },
    files: () =>
      Object.fromEntries(
        readdirSync(folder)
          .sort()
          .map((name) => [name, readFileSync(join(folder, name))]),
      ),
  };
}

function record(value: unknown): JsonRecord {
  if (!isRecord(value)) throw new Error('no object');
  return value;
}
