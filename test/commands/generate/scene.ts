/** svc generate against a service that a test can bend. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf } from '../../../src/lib/json.js';
import { FakeMedia, mediaService } from '../../helpers/fake-media.js';
import { testFolder } from '../../helpers/folder.js';
import { words, type RunOptions } from '../../helpers/run.js';
import { hideOwners, leaveOwners, ledgerTexts } from '../../helpers/state.js';

export type Scene = Awaited<ReturnType<typeof scene>>;

export async function scene(media = new FakeMedia()) {
  const at = await mediaService(media);
  const { home, svc } = at;
  /** Where -o points to. */
  const folder = testFolder();
  const submissions = () => at.requests.filter(({ url }) => url === '/api/media/generate');
  return {
    ...at,
    folder,
    /** `svc generate vendor/canvas LINE -o FOLDER/`. */
    make: (line: string | readonly string[] = 'a lighthouse', options: RunOptions = {}) => {
      const rest = typeof line === 'string' ? words(line) : line;
      return svc(['generate', 'vendor/canvas', ...rest, '-o', `${folder}/`], options);
    },
    /** What was asked, without the capabilities. */
    calls: () => at.calls().filter((call) => !call.startsWith('GET /v1/model-capabilities')),
    /** The bodies of the calls to generate, and their Idempotency-Keys. */
    submitted: () => submissions().map(({ body }) => recordOf(JSON.parse(body))),
    keys: (): unknown[] => submissions().map(({ headers }) => headers['idempotency-key']),
    ledger: () => ledgerTexts(home).map((text) => recordOf(JSON.parse(text))),
    /** From now on the processes of the ledger are gone: that of the test lives on. */
    leave: () => leaveOwners(home),
    /** From now on nobody can know whether the processes of the ledger run. */
    hide: (isKept?: (text: string) => boolean) => hideOwners(home, isKept),
    /** The files in the folder, by name. */
    files: (): Record<string, Buffer> => {
      const names = readdirSync(folder).sort();
      return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
    },
  };
}
