import { expect, it } from 'vitest';
import { startPeer } from '../peer.js';
import { openai } from './client.js';

const model = 'local/embed';

/** How near two vectors of length 1 are. */
function cosine(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** What the package does with embeddings. */
export function embeddingTests(): void {
  it('asks for base64 by itself and gives numbers', async () => {
    const peer = await startPeer();
    const input = ['The parcel is late', 'My parcel arrived late', 'Salt the soup'];
    const { embeddings } = openai(peer);
    const { result, record } = await peer.paid(() => embeddings.create({ model, input }));
    expect(record).toMatchObject({ model, promptTokens: 15, completionTokens: 0 });
    const raw: unknown = await (await embeddings.create({ model, input }).asResponse()).json();
    expect(raw).toMatchObject({ data: input.map(() => ({ embedding: expect.any(String) })) });
    const { data, usage, object } = result;
    expect(object).toBe('list');
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    const [first = [], similar = [], other = []] = data.map(({ embedding }) => embedding);
    expect(first).toHaveLength(512);
    expect(cosine(first, first)).toBeCloseTo(1, 5);
    expect(cosine(first, similar)).toBeGreaterThan(cosine(first, other) + 0.3);
    expect(usage).toEqual({ prompt_tokens: 15, total_tokens: 15 });
  });

  it('gives the same numbers as floats', async () => {
    const { embeddings } = openai(await startPeer());
    const ask = { model, input: 'one text' };
    const floats = await embeddings.create({ ...ask, encoding_format: 'float' });
    const decoded = await embeddings.create(ask);
    const asFloats = floats.data[0]?.embedding.map(Math.fround);
    expect(Array.from(decoded.data[0]?.embedding ?? [])).toEqual(asFloats);
  });
}
