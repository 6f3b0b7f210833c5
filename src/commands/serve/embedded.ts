/** Opens the embedded service with this machine's store, for --local and `svc serve`. */
import { brandFrom, defaultBrand } from '../../contract/brand.js';
import { LocalFileError, UsageError } from '../../errors.js';
import { fileTrouble } from '../../files/file-trouble.js';
import type { Clock } from '../../lib/clock.js';
import { parseDuration } from '../../lib/duration.js';
import type { Env } from '../../lib/env.js';
import { localKey, localSession } from '../../service/keys.js';
import { createService, type Service, type ServiceOptions } from '../../service/service.js';
import { StoreError } from '../../service/store/store.js';
import { localStorePath, type Paths } from '../../state/paths.js';

interface EmbeddedOptions extends Omit<ServiceOptions, 'storePath' | 'brand' | 'newId'> {
  readonly paths: Paths;
  readonly inMemory?: boolean;
}

/** Settings from the environment, for --local and `svc serve`, whose flags override them. */
export function embeddedSettings(
  env: Readonly<Record<string, string | undefined>>,
): Pick<EmbeddedOptions, 'scriptPath' | 'corpusPath' | 'jobTimeMs' | 'ticketReplyMs'> {
  const corpus = env['SVC_LOCAL_CORPUS'];
  return {
    scriptPath: env['SVC_LOCAL_SCRIPT'],
    corpusPath: corpus === '' ? undefined : corpus,
    jobTimeMs: timeIn('SVC_LOCAL_JOB_TIME', env['SVC_LOCAL_JOB_TIME'], true),
    ticketReplyMs: timeIn('SVC_LOCAL_REPLY_TIME', env['SVC_LOCAL_REPLY_TIME']),
  };
}

function timeIn(name: string, time = '', canBeZero = false): number | undefined {
  const timeMs = time === '' ? undefined : parseDuration(time, canBeZero);
  if (time === '' || timeMs !== undefined) return timeMs;
  const hint = `write it like ${name}=500ms or 5s`;
  throw new UsageError(`${name} is not a duration: ${time}`, { code: 'bad_setting', hint });
}

/** @throws LocalFileError when the store, or the folder it is in, cannot be used. */
export function openEmbedded({ paths, inMemory, ...options }: EmbeddedOptions): Service {
  const hint = 'name a folder that svc may write to in SVC_CONFIG_DIR';
  try {
    return createService({ ...options, storePath: inMemory ? ':memory:' : localStorePath(paths) });
  } catch (error) {
    if (!(error instanceof StoreError)) throw fileTrouble(error, `cannot use ${paths.data}`, hint);
    throw new LocalFileError(error.message, { code: 'store_unusable', hint, cause: error });
  }
}

export function openForLocal(run: { env: Env; paths: Paths; clock: Clock }) {
  const { env, paths, clock } = run;
  const brand = brandFrom(defaultBrand);
  const service = openEmbedded({ paths, clock, ...embeddedSettings(env) });
  return {
    answer: service.answer,
    key: localKey(brand),
    session: localSession(brand),
    brand: defaultBrand,
  };
}
