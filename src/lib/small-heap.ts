/**
 * For work through which much passes and of which little stays: clearing a small young generation
 * costs no more than a large one, which would take 30 MB. Not at the start, because V8 refuses what
 * was compiled with other flags, Node's own modules among it.
 * @param growingPercent so much the old generation grows before it is cleared; by itself, V8 chooses
 */
export async function keepHeapSmall(growingPercent?: number): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  if (growingPercent) setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
