/** The embedded service of this machine, for --local. */
import { embeddedSettings, openEmbedded } from '../commands/serve/embedded.js';
import { brandFrom, defaultBrand } from '../contract/brand.js';
import type { Clock } from '../lib/clock.js';
import { localKey, localSession } from '../service/keys.js';
import type { Paths } from '../state/paths.js';
import type { Env } from '../lib/env.js';

export interface LocalService {
  fetch: (request: Request) => Promise<Response>;
  key: string;
  /** The cookie of a session of its cabinet. */
  session: string;
  brand: string;
}

/**
 * @param env SVC_LOCAL_SCRIPT names the file that local/script answers from, SVC_LOCAL_JOB_TIME how
 * long a media job takes, SVC_LOCAL_REPLY_TIME how long a ticket waits for its answer.
 * @throws LocalFileError when its store cannot be used; UsageError when a setting makes no sense.
 */
export function openLocalService(world: { env: Env; paths: Paths; clock: Clock }): LocalService {
  const { env, paths, clock } = world;
  const brand = brandFrom(defaultBrand);
  const service = openEmbedded({ paths, clock, ...embeddedSettings(env) });
  return {
    fetch: (request) => service.fetch(request),
    key: localKey(brand),
    session: localSession(brand),
    brand: defaultBrand,
  };
}
