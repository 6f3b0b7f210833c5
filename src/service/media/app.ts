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

export interface MediaApp extends MediaSettings {
  readonly imageDeadlineMs: number;
  readonly quoteTtlMs: number;
  /** Where uploads, results and attachments are. */
  readonly folder: Folder;
  /** The models, loaded at the first call. */
  models(): Promise<readonly MediaModel[]>;
  /** Work in progress by name, so that nothing is made twice at once. */
  readonly underWay: Map<string, Promise<unknown>>;
}

export function makeMediaApp(folder: Folder, settings: MediaSettings): MediaApp {
  const { imageDeadlineMs = embedded.imageDeadlineMs, quoteTtlMs = 10 * 60_000 } = settings;
  return {
    ...settings,
    ...{ folder, imageDeadlineMs, quoteTtlMs },
    models: async () => settings.mediaModels ?? (await import('./engines/models.js')).models,
    underWay: new Map(),
  };
}
