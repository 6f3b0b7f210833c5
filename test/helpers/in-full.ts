/** @returns the whole of it under `npm run test:soak`, a small part in the suite */
export function inFull<Value>(whole: Value, part: Value): Value {
  return process.env['SVC_SOAK'] === '1' ? whole : part;
}
