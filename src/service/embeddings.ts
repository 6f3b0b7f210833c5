/** Texts as vectors (section 2.7). */
import { createEmbeddings } from '../contract/embeddings.js';
import type { embeddingEncodings } from '../contract/enums.js';
import { json, type Call } from './call.js';
import { embed as embeddings, priceOf, publicId, type VectorModel } from './catalog.js';
import { charge } from './charge.js';
import { countCharacters } from '../lib/text-pieces.js';
import { tokensOf } from './engines/tokens.js';
import { dimensions, embed } from './engines/vectors/embed.js';
import { badRequest } from './failure.js';
import { resolveText } from './resolve.js';

/** The most texts of one call, and tokens of them all: about a second of work. */
const mostTexts = 2048;
const mostTokens = 300_000;

/** POST /v1/embeddings */
export async function create(call: Call): Promise<Response> {
  const body = await call.body(createEmbeddings.body);
  const resolved = await resolveText(call.house, body.model, [embeddings], 'makes no vectors');
  const { model, variant } = resolved;
  const asked = body['dimensions'];
  if (asked !== undefined && asked !== dimensions) {
    throw badRequest(`dimensions must be ${dimensions}: ${model.id} has no others`, 'dimensions');
  }
  const texts = typeof body.input === 'string' ? [body.input] : body.input;
  const tokens = countTokens(texts, model);
  const vectors = texts.map(embed);
  const { house } = call;
  const headers = charge(call, {
    id: `gen_${house.newId()}`,
    model: model.id,
    route: `:${variant.alias}`,
    promptTokens: tokens,
    completionTokens: 0,
    priceMicroRub: priceOf(variant.price, tokens, 0),
    createdAtMs: house.clock.now(),
  });
  const encode = encoders[body.encoding_format ?? 'float'];
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encode(vector),
  }));
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return json({ object: 'list', data, model: publicId(resolved), usage }, 200, headers);
}

function countTokens(texts: readonly string[], { contextTokens }: VectorModel): number {
  if (texts.length === 0) throw badRequest('input must have at least 1 text', 'input');
  if (texts.length > mostTexts) {
    throw badRequest(`input must have at most ${mostTexts} texts`, 'input');
  }
  let sum = 0;
  for (const [index, text] of texts.entries()) {
    const name = texts.length === 1 ? 'input' : `input[${index}]`;
    if (text === '') throw badRequest(`${name} must not be empty`, 'input');
    const tokens = tokensOf(countCharacters(text));
    if (tokens > contextTokens) {
      throw badRequest(
        `${name} is about ${tokens} tokens long; the most are ${contextTokens}`,
        'input',
        'input_too_long',
      );
    }
    sum += tokens;
  }
  if (sum > mostTokens) {
    throw badRequest(
      `input is about ${sum} tokens long in all; the most are ${mostTokens}`,
      'input',
      'input_too_long',
    );
  }
  return sum;
}

type Encoding = (typeof embeddingEncodings)[number];

const encoders: Readonly<Record<Encoding, (vector: Float64Array) => number[] | string>> = {
  float: (vector) => Array.from(vector),
  base64,
};

/** The vector as 32-bit floats, the lowest byte of each first, on every machine. */
function base64(vector: Float64Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
