/** Answers named questions by how close each answer is to the state (section 2.8). */
import type * as z from 'zod/mini';
import { createDecisions, type DecisionRequest } from '../contract/decisions.js';
import { isRecord, toJson } from '../lib/json.js';
import { countCharacters } from '../lib/text-pieces.js';
import { json, type Call, type Reply } from './call.js';
import { decide as decisions, publicId } from './catalog.js';
import { tokensOf } from './engines/prompts.js';
import { cosine, embed } from './engines/vectors.js';
import { badRequest, ServiceFailure } from './failure.js';
import { chargeTokens, resolveText } from './models.js';

type Questions = z.output<typeof DecisionRequest>['questions'];
type Question = Questions[string];

export async function create(call: Call): Promise<Reply> {
  const body = await call.body(createDecisions.body);
  const others = { cannot: 'is not a decisions model', status: 400 } as const;
  const resolved = await resolveText(call, body.model ?? decisions.id, [decisions], others);
  const { model, variant } = resolved;
  for (const [name, { type, criteria }] of Object.entries(body.questions)) {
    // A schema cannot require at least one of an object's fields.
    const count = type === 'noul' ? 1 : Object.keys(criteria).length;
    if (count >= 1 && count <= maxCriteria) continue;
    const field = `questions[${JSON.stringify(name.slice(0, 60))}].criteria`;
    const what = type === 'choice' ? 'options' : 'levels';
    throw badRequest(`${field} must have 1 to ${maxCriteria} ${what}`, 'questions');
  }
  const text = stateText(body.state);
  const inputTokens = tokensOf(countCharacters(text + JSON.stringify(body.questions)));
  if (inputTokens > model.contextTokens) {
    const message = `the request has about ${inputTokens} tokens; the limit is ${model.contextTokens}`;
    throw badRequest(message, 'state', 'input_too_long');
  }
  if (variant.fails) {
    const [code, what] = failures[variant.fails];
    const message = `the decisions model ${what}; nothing was charged`;
    throw new ServiceFailure(variant.fails, code, message);
  }
  const state = stateOf(text);
  const answers = Object.fromEntries(
    Object.entries(body.questions).map(([name, question]) => [name, decide(state, question)]),
  );
  const outputTokens = tokensOf(countCharacters(JSON.stringify(answers)));
  await chargeTokens(call, resolved, { inputTokens, outputTokens });
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
  return json({ object: 'decisions', model: publicId(resolved), answers, usage });
}

const failures = {
  502: ['decisions_failed', 'failed'],
  504: ['decisions_timeout', 'did not answer in time'],
} as const;

const maxCriteria = 256;

function stateText(state: unknown): string {
  if (typeof state === 'string') return state;
  if (Array.isArray(state)) return state.map(stateText).join('\n');
  if (!isRecord(state)) return state === null ? '' : toJson(state);
  const fields = Object.entries(state).map(([name, value]) => `${name}: ${stateText(value)}`);
  return fields.join('\n');
}

/** How sharply similarity becomes probability, and where noul is neither yes nor no. */
const temperatures = { choice: 0.05, score: 0.08, noul: 0.065 };
const middle = 0.075;

const decimals = 1e6;

const maxSentences = 200;

/** The vectors of the compared parts of a state: of the whole text, and of each sentence. */
interface State {
  readonly whole: Float64Array;
  readonly sentences: readonly Float64Array[];
}

export function stateOf(text: string): State {
  const sentences = text
    .split(/(?<=[.!?…])\s+|\n+/)
    .filter((sentence) => sentence.trim() !== '')
    .slice(0, maxSentences);
  return { whole: embed(text), sentences: sentences.length > 1 ? sentences.map(embed) : [] };
}

export function decide(state: State, question: Question) {
  switch (question.type) {
    case 'noul': {
      const near = nearness(state, question.instructions);
      const likely = 1 / (1 + Math.exp((middle - near) / temperatures.noul));
      return { noul: Math.round(likely * decimals) / decimals };
    }
    case 'choice': {
      const names = Object.keys(question.criteria);
      const texts = Object.entries(question.criteria).map(([name, text]) => `${name}: ${text}`);
      const { best, ...odds } = oddsOf(state, names, texts, temperatures.choice);
      return { choice: names[best] ?? '', ...odds };
    }
    case 'score': {
      const levels = question.criteria;
      const names = levels.map((_, i) => String(i + 1));
      const legend = Object.fromEntries(levels.map((level, i) => [String(i + 1), level]));
      const { best, ...odds } = oddsOf(state, names, levels, temperatures.score);
      return { score: best + 1, legend, ...odds };
    }
  }
}

/** Probabilities by name, which sum to exactly 1, and the confidence in the best. */
function oddsOf(
  state: State,
  names: readonly string[],
  texts: readonly string[],
  temperature: number,
) {
  const near = texts.map((text) => nearness(state, text));
  const highest = Math.max(...near);
  const weights = near.map((value) => Math.exp((value - highest) / temperature));
  const sum = weights.reduce((a, b) => a + b, 0);
  const shares = weights.map((weight) => Math.round((weight / sum) * decimals));
  const most = shares.indexOf(Math.max(...shares));
  // The highest takes the rounding error, which changes it least.
  shares[most] = (shares[most] ?? 0) + decimals - shares.reduce((a, b) => a + b, 0);
  const best = shares.indexOf(Math.max(...shares));
  const probabilities = names.map((name, i) => [name, (shares[i] ?? 0) / decimals] as const);
  const confidence = (shares[best] ?? 0) / decimals;
  return { best, probabilities: Object.fromEntries(probabilities), confidence };
}

/** The similarity of a text to a state: half the whole, half the nearest sentence. */
function nearness({ whole, sentences }: State, text: string): number {
  const vector = embed(text);
  const asWhole = cosine(whole, vector);
  const nearest = sentences.reduce((most, one) => Math.max(most, cosine(one, vector)), asWhole);
  return (asWhole + nearest) / 2;
}
