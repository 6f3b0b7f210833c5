/** local/decide: answers questions by how near their answers are to the state. */
import type * as z from 'zod/mini';
import type { DecisionRequest } from '../../../contract/decisions.js';
import { cosine, embed } from './embed.js';

type Questions = z.output<typeof DecisionRequest>['questions'];
export type Question = Questions[string];

export interface ChoiceAnswer {
  readonly choice: string;
  /** By option; they sum to 1. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The probability that the choice is right. */
  readonly confidence: number;
}

export interface ScoreAnswer {
  /** The number of the likeliest level; the first is 1. */
  readonly score: number;
  /** The levels by their numbers. */
  readonly legend: Readonly<Record<string, string>>;
  /** By the number of the level; they sum to 1. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The probability that the score is right. */
  readonly confidence: number;
}

export interface NoulAnswer {
  /** The probability that what is asked holds, from 0 to 1. */
  readonly noul: number;
}

export type Answer = ChoiceAnswer | ScoreAnswer | NoulAnswer;

/**
 * How sharply nearness becomes probability, and for noul where it says neither yes nor no.
 * Calibrated: the tests hold that no other value fits their labelled examples better.
 */
export const calibration = {
  choice: { temperature: 0.05 },
  score: { temperature: 0.08 },
  noul: { temperature: 0.065, middle: 0.075 },
} as const;

const decimals = 1e6;

/** What is compared: a state as a whole, and sentence by sentence. */
export interface State {
  readonly whole: Float64Array;
  readonly sentences: readonly Float64Array[];
}

/** The most sentences that are looked at one by one. */
const mostSentences = 200;

/** @param text of the state, as `stateText` gives it */
export function stateOf(text: string): State {
  const sentences = text
    .split(/(?<=[.!?…])\s+|\n+/)
    .filter((sentence) => sentence.trim() !== '')
    .slice(0, mostSentences);
  return { whole: embed(text), sentences: sentences.length > 1 ? sentences.map(embed) : [] };
}

/** Decides one question. A question of the types choice and score has at least one answer. */
export function decide(state: State, question: Question): Answer {
  switch (question.type) {
    case 'choice':
      return choose(state, question.criteria);
    case 'score':
      return score(state, question.criteria);
    case 'noul':
      return { noul: rounded(likelihood(nearness(state, question.instructions))) };
  }
}

function choose(state: State, criteria: Readonly<Record<string, string>>): ChoiceAnswer {
  const options = Object.entries(criteria);
  const near = options.map(([name, description]) => nearness(state, `${name}: ${description}`));
  const probabilities = softmax(near, calibration.choice.temperature);
  const best = indexOfMost(probabilities);
  return {
    choice: options[best]?.[0] ?? '',
    probabilities: Object.fromEntries(
      options.map(([name], index) => [name, probabilities[index] ?? 0]),
    ),
    confidence: probabilities[best] ?? 0,
  };
}

function score(state: State, levels: readonly string[]): ScoreAnswer {
  const near = levels.map((level) => nearness(state, level));
  const probabilities = softmax(near, calibration.score.temperature);
  const best = indexOfMost(probabilities);
  const byNumber = <Value>(values: readonly Value[]) =>
    Object.fromEntries(values.map((value, index) => [String(index + 1), value]));
  return {
    score: best + 1,
    legend: byNumber(levels),
    probabilities: byNumber(probabilities),
    confidence: probabilities[best] ?? 0,
  };
}

/** How near a text is to a state, half by the whole and half by the nearest sentence. */
export function nearness({ whole, sentences }: State, text: string): number {
  const vector = embed(text);
  const asWhole = cosine(whole, vector);
  const nearest = sentences.reduce((most, one) => Math.max(most, cosine(one, vector)), asWhole);
  return (asWhole + nearest) / 2;
}

/** How likely noul's question is a yes. */
export function likelihood(near: number): number {
  const { temperature, middle } = calibration.noul;
  return 1 / (1 + Math.exp((middle - near) / temperature));
}

/** Probabilities that sum to 1 to the last of their six decimals. */
export function softmax(values: readonly number[], temperature: number): number[] {
  const highest = Math.max(...values);
  const shares = values.map((value) => Math.exp((value - highest) / temperature));
  const sum = shares.reduce((a, b) => a + b, 0);
  const whole = shares.map((share) => Math.round((share / sum) * decimals));
  // What rounding left over goes to the highest, which it changes least.
  const most = indexOfMost(whole);
  const left = decimals - whole.reduce((a, b) => a + b, 0);
  return whole.map((share, index) => (index === most ? share + left : share) / decimals);
}

function indexOfMost(values: readonly number[]): number {
  return values.reduce((best, value, index) => (value > (values[best] ?? -1) ? index : best), 0);
}

function rounded(value: number): number {
  return Math.round(value * decimals) / decimals;
}
