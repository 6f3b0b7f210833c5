/** Text embeddings (sections 2.7 and 4.2). */
import * as z from 'zod/mini';
import { write } from './endpoint.js';
import { embeddingEncodings } from './enums.js';
import { notShown, text, number } from './fields.js';

export const EmbeddingRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  encoding_format: z.optional(z.enum(embeddingEncodings)),
});

/** Section 2.7. A base64 vector is a string: 32-bit floats, little-endian. */
export const EmbeddingReply = z.looseObject({
  object: text,
  data: z.array(
    z.looseObject({
      object: text,
      index: number,
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: text,
  usage: notShown(),
});

export const createEmbeddings = write('embeddings.create', '/v1/embeddings', '4.2', {
  summary: 'Turn texts into vectors',
  body: EmbeddingRequest,
  returns: EmbeddingReply,
  statuses: [200, 401, 402],
  moreStatuses: [404],
  paid: 'input',
});
