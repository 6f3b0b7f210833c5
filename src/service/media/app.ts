/** What the media endpoints share, and how long things take on the service's clock. */
import { embedded } from '../../contract/limits.js';
import type { Folder } from '../folder.js';
import type { MediaModel } from './engines/define.js';

export interface MediaSettings {
  /** How long a job takes; each model's own time when absent. */
  readonly jobTimeMs?: number;
  /** How long the caller of a synchronous image waits before the answer is 504. */
  readonly imageDeadlineMs?: number;
  readonly quoteTtlMs?: number;
  /** Whether notifications may go to this machine, by http too. */
  readonly loopbackWebhooks?: boolean;
  /** Whether recordings of voices may be fetched from addresses. */
  readonly allowFetch?: boolean;
  /** The models in place of the service's own. */
  readonly mediaModels?: readonly MediaModel[];
}

export type MediaApp = ReturnType<typeof makeMediaApp>;

export function makeMediaApp(folder: Folder, settings: MediaSettings) {
  const { imageDeadlineMs = embedded.imageDeadlineMs, quoteTtlMs = 10 * 60_000 } = settings;
  const { jobTimeMs, loopbackWebhooks = false, allowFetch = false, mediaModels } = settings;
  return {
    ...{ folder, jobTimeMs, imageDeadlineMs, quoteTtlMs, loopbackWebhooks, allowFetch },
    /** The models, loaded when they are first needed. */
    models: async () => mediaModels ?? (await import('./engines/models.js')).models,
    /** What is being made right now, so that nothing is made twice at once. */
    underWay: new Map<string, Promise<unknown>>(),
  };
}
