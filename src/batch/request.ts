/** One line of a batch: a request of its own, and what came of it. */
import { createEmbeddings } from '../contract/embeddings.js';
import * as chat from '../contract/chat.js';
import { createDecisions } from '../contract/decisions.js';
import { createImage } from '../contract/images.js';
import { createSpeech } from '../contract/audio.js';
import { generateMedia, quotePrice, quotePublicPrice } from '../contract/media.js';
import { searchRegion, searchWeb } from '../contract/search.js';
import type { Endpoint } from '../contract/endpoint.js';
import type { SvcError } from '../errors.js';
import { numberOf, recordOf } from '../lib/json.js';

/** What a line may ask for: the POST rows whose request is JSON and whose answer stands alone. */
export const batchRows: readonly Endpoint[] = [
  chat.createChatCompletion,
  chat.createMessage,
  chat.createResponse,
  chat.countTokens,
  createEmbeddings,
  createDecisions,
  searchWeb,
  searchRegion,
  createSpeech,
  createImage,
  generateMedia,
  quotePrice,
  quotePublicPrice,
];

export interface BatchRequest {
  /** `custom_id`: unique in its input. */
  readonly id: string;
  /** In the input, from 1. */
  readonly lineNumber: number;
  readonly row: Endpoint;
  /** Of the body; undefined where it names none. */
  readonly model: string | undefined;
  /** The JSON text that is sent. */
  readonly body: string;
  /** Under a ceiling of the batch, the service's own for a job; no part of the keys of the line. */
  readonly maxPriceRub?: number;
}

/** What the service answered to one attempt, or to the last of several. */
export interface BatchAnswer {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly generationId: string | undefined;
  /** JSON text without line breaks. */
  readonly body: string;
  /** RUB; undefined where it is not known. */
  readonly costRub: number | undefined;
  readonly tokens: number;
  /** It is an earlier answer to the same request, with the ids of that. */
  readonly cached?: true | undefined;
  /** Why the reply does not answer (api/answered.ts), although it may have been charged. */
  readonly fault?: SvcError | undefined;
}

/** The tokens that an answer counts, in any format; undefined where it does not. */
export function tokensOf(answer: unknown) {
  const usage = recordOf(recordOf(answer)['usage']);
  const input = numberOf(usage['prompt_tokens'] ?? usage['input_tokens']);
  const output = numberOf(usage['completion_tokens'] ?? usage['output_tokens']);
  const total = numberOf(usage['total_tokens']) ?? (input ?? 0) + (output ?? 0);
  return { input, output, total };
}
