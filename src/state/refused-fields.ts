/** Which fields beyond the specification a service has refused: they are not sent to it again. */
import { readCache, writeCache, type CacheFile } from './cache-file.js';
import type { Paths } from './paths.js';

/** @param service its origin; it refuses them whatever the key. */
export function refusedFields(paths: Paths, service: string) {
  const account = { profile: '', service, keyHash: '' };
  const file: CacheFile = { paths, account, kind: 'refused-fields' };
  return {
    has: (field: string) => readCache(file)[field] === true,
    add: (field: string) => {
      writeCache(file, { ...readCache(file), [field]: true });
    },
  };
}
