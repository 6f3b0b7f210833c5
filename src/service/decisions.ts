/** Named questions, decided from a state (section 2.8). */
import type * as z from 'zod/mini';
import { createDecisions, type DecisionRequest } from '../contract/decisions.js';
import { isRecord } from '../lib/json.js';
import { json, type Call } from './call.js';
import { decide as decisions, priceOf, publicId, type Variant } from './catalog.js';
import { charge } from './charge.js';
import { countCharacters } from '../lib/text-pieces.js';
import { tokensOf } from './engines/tokens.js';
import { decide, stateOf } from './engines/vectors/decide.js';
import { badRequest, ServiceFailure } from './failure.js';
import { resolveText } from './resolve.js';

type Body = z.output<typeof DecisionRequest>;

/** POST /v1/decisions */
export async function create(call: Call): Promise<Response> {
  const body = await call.body(createDecisions.body);
  const asked = body.model ?? decisions.id;
  const resolved = await resolveText(call.house, asked, [decisions], 'decides nothing', 400);
  const { model, variant } = resolved;
  checkCriteria(body);
  const text = stateText(body.state);
  const inputTokens = tokensOf(
    countCharacters(text) + countCharacters(JSON.stringify(body.questions)),
  );
  if (inputTokens > model.contextTokens) {
    throw badRequest(
      `the request is about ${inputTokens} tokens long; the most are ${model.contextTokens}`,
      'state',
      'input_too_long',
    );
  }
  refuseToServe(variant);
  const state = stateOf(text);
  const answers = Object.fromEntries(
    Object.entries(body.questions).map(([name, question]) => [name, decide(state, question)]),
  );
  const outputTokens = tokensOf(countCharacters(JSON.stringify(answers)));
  const { house } = call;
  const headers = charge(call, {
    id: `gen_${house.newId()}`,
    model: model.id,
    route: `:${variant.alias}`,
    promptTokens: inputTokens,
    completionTokens: outputTokens,
    priceMicroRub: priceOf(variant.price, inputTokens, outputTokens),
    createdAtMs: house.clock.now(),
  });
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
  return json({ object: 'decisions', model: publicId(resolved), answers, usage }, 200, headers);
}

/** The most options of a choice, and levels of a score. */
const mostCriteria = 256;

/** A schema cannot ask for at least one of an object's fields. */
function checkCriteria({ questions }: Body): void {
  for (const [name, { type, criteria }] of Object.entries(questions)) {
    if (type === 'noul') continue;
    const count = Object.keys(criteria).length;
    if (count >= 1 && count <= mostCriteria) continue;
    const what = type === 'choice' ? 'options' : 'levels';
    throw badRequest(
      `questions[${JSON.stringify(name.slice(0, 60))}].criteria must have 1 to ${mostCriteria} ${what}`,
      'questions',
    );
  }
}

function refuseToServe({ fails }: Variant): void {
  if (fails === 502) {
    throw new ServiceFailure(
      502,
      'decisions_failed',
      'the decisions model failed; nothing was charged',
    );
  }
  if (fails === 504) {
    throw new ServiceFailure(
      504,
      'decisions_timeout',
      'the decisions model did not answer in time; nothing was charged',
    );
  }
}

/** A state as text: what it holds, each under its name. */
function stateText(state: unknown): string {
  if (typeof state === 'string') return state;
  if (Array.isArray(state)) return state.map(stateText).join('\n');
  if (!isRecord(state)) return state === null ? '' : JSON.stringify(state);
  return Object.entries(state)
    .map(([name, value]) => `${name}: ${stateText(value)}`)
    .join('\n');
}
