/** Checks what a caller sent; what does not fit is a 400 that names the field. */
import type * as z from 'zod/mini';
import { explain } from '../contract/explain.js';
import { badRequest } from './failure.js';

/**
 * The value as the schema gives it.
 * @param place what to call the value in a message: `messages[0].content[1]`; the whole request
 * when it is absent
 */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  place?: string,
): z.output<Schema> {
  const parsed = check(schema, value);
  if (parsed.success) return parsed.data;
  const sentence = explain(parsed.error, value, place);
  const inside = place !== undefined && !sentence.startsWith(place);
  const param = place ?? parsed.error.issues[0]?.path.join('.');
  throw badRequest(inside ? `${place}: ${sentence}` : sentence, param);
}

function check<Schema extends z.ZodMiniType>(schema: Schema, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    // The library gathers every fault on the stack.
    if (!(error instanceof RangeError)) throw error;
    throw badRequest('the request has too many faults to name one');
  }
}
