/**
 * For work through which much passes and of which little stays: clearing a small young generation
 * costs no more than a large one, which would take 30 MB. Not at the start, because V8 refuses what
 * was compiled with other flags, Node's own modules among it.
 */
export async function keepHeapSmall(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For a process that may run for days beside others: its old generation is cleared after it has grown
 * by a tenth. Twice the processor time for each request, and half the memory above that of a start.
 */
export async function keepHeapTight(): Promise<void> {
  await keepHeapSmall();
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of ['--heap-growing-percent=10', '--optimize-for-size']) setFlagsFromString(flag);
}
