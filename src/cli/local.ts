/** The embedded service of this machine, for --local. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultBrand } from '../contract/brand.js';
import type { Clock } from '../lib/clock.js';
import { localKeys } from '../service/keys.js';
import { createService } from '../service/service.js';
import type { Paths } from '../state/paths.js';
import type { Env } from './context.js';

export interface LocalService {
  fetch: (request: Request) => Promise<Response>;
  key: string;
  brand: string;
}

/** Where the embedded service keeps its ledger; `svc serve` uses the same file. */
export function localStorePath(paths: Paths): string {
  mkdirSync(paths.data, { recursive: true, mode: 0o700 });
  return join(paths.data, 'local.sqlite');
}

/** @param env SVC_LOCAL_SCRIPT names the file that local/script answers from. */
export function openLocalService(world: { env: Env; paths: Paths; clock: Clock }): LocalService {
  const service = createService({
    storePath: localStorePath(world.paths),
    clock: world.clock,
    scriptPath: world.env['SVC_LOCAL_SCRIPT'],
  });
  return { fetch: (request) => service.fetch(request), key: localKeys.default, brand: defaultBrand };
}
