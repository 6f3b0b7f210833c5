/** What the media endpoints share, and how long things take on the service's clock. */
import { embedded } from '../../contract/limits.js';
import type { Folder } from '../folder.js';
import type { MediaModel } from './engines/types.js';

export interface MediaSettings {
  /** How long a job takes, in milliseconds; each model's own time when absent. */
  readonly jobTimeMs?: number;
  /** How long the caller of a synchronous image waits before the answer is 504. */
  readonly imageDeadlineMs?: number;
  /** How long a quoted price holds. */
  readonly quoteTtlMs?: number;
  /** Whether notifications may go to this machine, by http too. */
  readonly loopbackWebhooks?: boolean;
  /** Whether recordings of voices may be fetched from addresses. */
  readonly allowFetch?: boolean;
  /** The models in place of the service's own. */
  readonly mediaModels?: readonly MediaModel[];
}

export interface MediaHouse {
  readonly folder: Folder;
  readonly jobTimeMs: number | undefined;
  readonly imageDeadlineMs: number;
  readonly quoteTtlMs: number;
  readonly loopbackWebhooks: boolean;
  readonly allowFetch: boolean;
  /** The models, loaded when they are first needed. */
  models(): Promise<readonly MediaModel[]>;
  /** What is being made right now, so that nothing is made twice at once. */
  readonly underWay: Map<string, Promise<unknown>>;
}

const defaults = {
  imageDeadlineMs: embedded.imageDeadlineMs,
  quoteTtlMs: 10 * 60_000,
};

/** @param folder where sources and results are kept */
export function makeMediaHouse(folder: Folder, settings: MediaSettings): MediaHouse {
  const { mediaModels } = settings;
  return {
    folder,
    jobTimeMs: settings.jobTimeMs,
    imageDeadlineMs: settings.imageDeadlineMs ?? defaults.imageDeadlineMs,
    quoteTtlMs: settings.quoteTtlMs ?? defaults.quoteTtlMs,
    loopbackWebhooks: settings.loopbackWebhooks ?? false,
    allowFetch: settings.allowFetch ?? false,
    models: async () => mediaModels ?? (await import('./engines/models.js')).models,
    underWay: new Map(),
  };
}

/** Runs `work` unless the same is under way in this process: then waits for that. */
export async function onlyOnce(
  { underWay }: MediaHouse,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const running = underWay.get(name);
  if (running) {
    await running;
    return;
  }
  const started = work().finally(() => underWay.delete(name));
  underWay.set(name, started);
  await started;
}
