/** Knows a link again when it has been signed anew. */

/** What proves a right, for a time: it differs from link to link to one and the same thing. */
const proof = /^(?:sig|signature|token|expires?|policy|key-pair-id|x-(?:amz|goog)-.*)$/i;

/** A digest, so that nothing of a signature comes to lie on a disk. */
export async function sourceIdOf(url: URL): Promise<string> {
  const plain = new URL(url);
  for (const name of [...plain.searchParams.keys()]) {
    if (proof.test(name)) plain.searchParams.delete(name);
  }
  plain.searchParams.sort();
  plain.hash = '';
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(plain.href).digest('hex').slice(0, 32);
}
