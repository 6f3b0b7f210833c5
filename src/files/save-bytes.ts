/** Bytes that are here already, as a file: under its name only when all of them are on disk. */
import type { Clock } from '../lib/clock.js';
import { PartFile, type Settled } from './part-file.js';
import type { Target } from './target.js';

/** @throws LocalFileError when it cannot be written, or a name that was asked for is taken. */
export async function saveBytes(
  bytes: Buffer,
  target: Target,
  { sourceId, clock }: { sourceId: string; clock: Clock },
): Promise<Settled> {
  const file = await PartFile.open(target, { sourceId, hint: 'file', clock });
  try {
    await file.begin({ id: sourceId, length: bytes.length });
    await file.take(bytes);
    return await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
