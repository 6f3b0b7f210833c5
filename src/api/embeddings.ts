/** Texts as vectors (sections 2.7 and 4.2). */
import type * as z from 'zod/mini';
import { createEmbeddings, type EmbeddingReply } from '../contract/embeddings.js';
import type { EndpointInput } from '../contract/endpoint.js';
import { ApiError, type RequestIds } from '../errors.js';
import { numberOf, recordOf } from '../lib/json.js';
import { vectorFromBase64, type Vector } from '../lib/vectors.js';
import { call } from './call.js';
import type { Client } from './client.js';

export interface EmbeddingResult {
  /** One for each text, in their order. */
  readonly vectors: readonly Vector[];
  /** Of the input, where the service counts them. */
  readonly tokens: number | undefined;
  readonly reply: z.output<typeof EmbeddingReply>;
  readonly ids: RequestIds;
}

/** A reply without an end must not fill the memory. */
const [maxVectorValues, maxReplyValues] = [40_000, 8_000_000];
const [maxVectorBytes, maxReplyBytes] = [1024 * 1024, 128 * 1024 * 1024];

export async function embed(
  client: Client,
  model: string,
  texts: readonly string[],
  encoding?: EndpointInput<typeof createEmbeddings>['body']['encoding_format'],
): Promise<EmbeddingResult> {
  const body = { model, input: [...texts], encoding_format: encoding };
  const bounds = {
    maxValues: Math.min(maxReplyValues, texts.length * maxVectorValues),
    maxBytes: Math.min(maxReplyBytes, texts.length * maxVectorBytes),
  };
  const { data, ids } = await call(client, createEmbeddings, { body }, bounds);
  const vectors = vectorsIn(data, texts.length);
  const usage = recordOf(data.usage);
  const counts = ['prompt_tokens', 'input_tokens', 'total_tokens'].map((name) =>
    numberOf(usage[name]),
  );
  return { vectors, tokens: counts.find((count) => count !== undefined), reply: data, ids };
}

/** One for each text, in their order. @throws ApiError where the reply has others */
export function vectorsIn(
  { data: entries }: z.output<typeof EmbeddingReply>,
  count: number,
): readonly Vector[] {
  if (entries.length !== count) {
    throw invalid(`a wrong number of vectors: ${entries.length}, not ${count}`);
  }
  const vectors = inOrder(entries).map(({ embedding }) => vectorOf(embedding));
  const [first] = vectors;
  if (vectors.some(({ length }) => length === 0 || length !== first?.length)) throw unequal();
  return vectors;
}

/** By index; in the given order where a service gives no index, or the same to all. */
function inOrder<Entry extends { readonly index?: number | null }>(entries: readonly Entry[]) {
  const indexes = new Set(entries.map(({ index }) => index ?? 0));
  if (indexes.size === 1 && indexes.has(0)) return entries;
  const places = [...entries].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  if (places.some(({ index }, place) => index !== place)) {
    throw invalid('vectors whose numbers do not match the texts');
  }
  return places;
}

function vectorOf(embedding: readonly number[] | string): Vector {
  if (typeof embedding !== 'string') return embedding;
  const vector = vectorFromBase64(embedding);
  if (!vector) throw invalid('a vector that is not base64 of 32-bit floats');
  // JSON has no Infinity or NaN, so a number in a list is always finite.
  if (!vector.every(Number.isFinite)) throw invalid('a vector with a value that is not a number');
  return vector;
}

export function unequal(): ApiError {
  return invalid('vectors of different lengths');
}

function invalid(what: string): ApiError {
  return new ApiError(`the service answered with ${what}`, {
    status: 200,
    code: 'invalid_reply',
    hint: 'it was charged anyway: see `svc usage list`, and report it with `svc tickets create`',
    outcomeUnknown: true,
  });
}
