/** The bond between a stored key and the origin it may be sent to, as the base URL changes. */
import { keyOriginOf } from '../../state/settings.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The origin that a profile's key belongs to, as a field to store, when only the base URL beside
 * it tells: a key written by hand must not move with a base URL that is about to change.
 */
export function pinnedKey(fields: Fields): { key_origin?: string } {
  const { key, key_origin: keyOrigin, base_url: baseUrl } = fields;
  if (key === undefined || keyOrigin !== undefined || typeof baseUrl !== 'string') return {};
  const origin = keyOriginOf({ base_url: baseUrl });
  return origin === undefined ? {} : { key_origin: origin };
}

/** Whether a profile's key, if it has one, may be sent to its base URL. */
export function keyFits({ key, key_origin: keyOrigin, base_url: baseUrl }: Fields): boolean {
  if (key === undefined || keyOrigin === undefined || typeof baseUrl !== 'string') return true;
  return keyOrigin === keyOriginOf({ base_url: baseUrl });
}
