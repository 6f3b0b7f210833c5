/** Shared by the media endpoints, with their times on the service's clock. */
import { embedded } from '../../contract/limits.js';
import type { Folder } from '../folder.js';
import type { MediaModel } from './engines/define.js';

export interface MediaSettings {
  /** The duration of a job; each model's own by default. */
  readonly jobTimeMs?: number;
  /** How long a synchronous image may take before the answer is 504. */
  readonly imageDeadlineMs?: number;
  readonly quoteTtlMs?: number;
  /** Whether notifications may go to this machine, also by http. */
  readonly loopbackWebhooks?: boolean;
  /** Whether recordings of voices may be downloaded. */
  readonly allowFetch?: boolean;
  readonly mediaModels?: readonly MediaModel[];
}

export type MediaApp = ReturnType<typeof makeMediaApp>;

export function makeMediaApp(folder: Folder, settings: MediaSettings) {
  const { imageDeadlineMs = embedded.imageDeadlineMs, quoteTtlMs = 10 * 60_000 } = settings;
  const { jobTimeMs, loopbackWebhooks = false, allowFetch = false, mediaModels } = settings;
  return {
    ...{ folder, jobTimeMs, imageDeadlineMs, quoteTtlMs, loopbackWebhooks, allowFetch },
    models: async () => mediaModels ?? (await import('./engines/models.js')).models,
    /** Work in progress, so that nothing is made twice at once. */
    underWay: new Map<string, Promise<unknown>>(),
  };
}
