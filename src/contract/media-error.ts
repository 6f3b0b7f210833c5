/** The body of a refused media or voice request (section 2.11, MediaErrorResponse). */
import * as z from 'zod/mini';
import { maybe } from './reply.js';

export const MediaError = z.looseObject({
  ok: maybe(z.boolean()),
  code: maybe(z.string()),
  message: maybe(z.string()),
  /** unknown_field: the first unknown top-level field. */
  field: maybe(z.string()),
  /** unknown_field: every unknown top-level field. */
  fields: maybe(z.array(z.string())),
  /** payload_too_large: the largest accepted body, in bytes. */
  max_body_bytes: maybe(z.number()),
});
