/** Whether a text is a number as JSON has it. */
export function isJsonNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** That number; undefined for what is none, or what would be changed by reading it. */
export function exactNumber(text: string): number | undefined {
  if (!isJsonNumber(text)) return undefined;
  const value = Number(text);
  const isExact = /[.eE]/.test(text) ? Number.isFinite(value) : Number.isSafeInteger(value);
  return isExact ? value : undefined;
}
