/** Texts as vectors (section 2.7). */
import { createEmbeddings } from '../contract/embeddings.js';
import { countCharacters } from '../lib/text-pieces.js';
import { vectorToBase64 } from '../lib/vectors.js';
import { json, type Call, type Reply } from './call.js';
import { embed as embeddings, publicId } from './catalog.js';
import { tokensOf } from './engines/prompts.js';
import { dimensions, embed } from './engines/vectors.js';
import { badRequest } from './failure.js';
import { chargeTokens, resolveText } from './models.js';

/** Per call: about a second of work. */
const maxTexts = 2048;
const maxTokens = 300_000;

export async function create(call: Call): Promise<Reply> {
  const body = await call.body(createEmbeddings.body);
  const others = { cannot: 'is not an embeddings model' };
  const resolved = await resolveText(call, body.model, [embeddings], others);
  const { id, contextTokens } = resolved.model;
  if ((body.dimensions ?? dimensions) !== dimensions) {
    throw badRequest(`dimensions must be ${dimensions} for ${id}`, 'dimensions');
  }
  const texts = typeof body.input === 'string' ? [body.input] : body.input;
  const tokens = countTokens(texts, contextTokens);
  const vectors = texts.map(embed);
  await chargeTokens(call, resolved, { inputTokens: tokens, outputTokens: 0 });
  const isBase64 = body.encoding_format === 'base64';
  const data = vectors.map((vector, index) => {
    return {
      object: 'embedding',
      index,
      embedding: isBase64 ? vectorToBase64(vector) : [...vector],
    };
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return json({ object: 'list', data, model: publicId(resolved), usage });
}

function countTokens(texts: readonly string[], contextTokens: number): number {
  if (texts.length === 0) throw badRequest('input must have at least 1 text', 'input');
  if (texts.length > maxTexts)
    throw badRequest(`input must have at most ${maxTexts} texts`, 'input');
  const tooLong = (what: string, length: string, max: number) =>
    badRequest(`${what} is about ${length}; the limit is ${max}`, 'input', 'input_too_long');
  let sum = 0;
  for (const [index, text] of texts.entries()) {
    const name = texts.length === 1 ? 'input' : `input[${index}]`;
    if (text === '') throw badRequest(`${name} must not be empty`, 'input');
    const tokens = tokensOf(countCharacters(text));
    if (tokens > contextTokens) throw tooLong(name, `${tokens} tokens long`, contextTokens);
    sum += tokens;
  }
  if (sum > maxTokens) throw tooLong('input', `${sum} tokens long in all`, maxTokens);
  return sum;
}
