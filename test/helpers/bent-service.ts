/** svc against a service that a test can bend. */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { recordOf, type JsonRecord } from '../../src/lib/json.js';
import { fakeService, type FakeService, type Seen } from './fake-service.js';
import { testFolder } from './folder.js';
import { run, words, type RunOptions, type RunResult } from './run.js';

export interface BentService extends FakeService {
  readonly folder: string;
  /** Answers in the service's place when it returns true; `count` is 1 for the first POST. */
  instead: (request: Seen, response: ServerResponse, count: number) => boolean | void;
  readonly svc: (line: string | readonly string[], options?: RunOptions) => Promise<RunResult>;
  /** A path in the folder. */
  readonly path: (name: string) => string;
  /** A file in the folder; its path. */
  readonly file: (name: string, content: Buffer | string) => string;
  /** Methods and paths, in order. */
  readonly calls: () => string[];
  readonly posts: () => Seen[];
  /** The bodies of the POSTs. */
  readonly posted: () => JsonRecord[];
}

/**
 * @param before the words that each line of `svc` begins with.
 * @param usual how it is run unless told otherwise.
 */
export async function bentService(
  answer: (request: Seen, response: ServerResponse, count: number) => void,
  before: readonly string[] = [],
  usual: RunOptions = {},
): Promise<BentService> {
  const folder = testFolder();
  const posts = () => service.requests.filter(({ method }) => method === 'POST');
  const path = (name: string) => join(folder, name);
  const service: FakeService = await fakeService((request, response) => {
    const { length } = posts();
    if (at.instead(request, response, length) !== true) answer(request, response, length);
  });
  const at: BentService = {
    ...service,
    folder,
    instead: () => false,
    svc: (line, options = {}) =>
      run([...before, ...(typeof line === 'string' ? words(line) : line)], {
        ...usual,
        ...options,
        env: { ...service.env, ...usual.env, ...options.env },
      }),
    path,
    file: (name, content) => {
      writeFileSync(path(name), content);
      return path(name);
    },
    calls: () => service.requests.map(({ method, url }) => `${method} ${url}`),
    posts,
    posted: () => posts().map(({ body }) => recordOf(JSON.parse(body))),
  };
  return at;
}
