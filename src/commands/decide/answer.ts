/** What an answer says, whichever of the shapes it has that section 2.8 leaves open. */
import type { DecisionAnswer, DecisionQuestion } from '../../api/decisions.js';
import { isRecord, listOf, numberOf, textOf } from '../../lib/json.js';

export interface Probability {
  readonly label: string;
  /** From 0 to 1. */
  readonly value: number;
}

export interface Reading {
  /** `billing`, `2`, `0.93`. */
  readonly text: string;
  /** What a score means, when it is told. */
  readonly label: string | undefined;
  readonly confidence: number | undefined;
  /** In the order of the question's options or levels. */
  readonly probabilities: readonly Probability[];
}

/** The answer to a question; whatever the name, none is made up for it. */
export function answerTo(
  name: string,
  answers: Readonly<Record<string, DecisionAnswer>>,
): DecisionAnswer | undefined {
  return Object.hasOwn(answers, name) ? answers[name] : undefined;
}

export function readingOf(question: DecisionQuestion, answer: DecisionAnswer | undefined): Reading {
  if (!answer) return { text: '', label: undefined, confidence: undefined, probabilities: [] };
  const value = answer.choice ?? answer.score ?? answer.noul;
  return {
    text: valueText(value === undefined ? answer : value),
    label: answer.score === undefined ? undefined : meaningOf(answer.legend, valueText(value)),
    confidence: numberOf(answer.confidence),
    probabilities: probabilitiesOf(question, answer),
  };
}

function valueText(value: unknown): string {
  return textOf(value) ?? JSON.stringify(value);
}

/** A legend has the meaning of each score under it: `{"1": "calm"}`. */
function meaningOf(legend: unknown, key: string): string | undefined {
  return isRecord(legend) ? textOf(legend[key]) : undefined;
}

function probabilitiesOf(question: DecisionQuestion, answer: DecisionAnswer): Probability[] {
  const { probabilities, legend } = answer;
  const names = criteriaOf(question);
  if (Array.isArray(probabilities)) {
    return listOf(probabilities).flatMap((value, index) => {
      const number = numberOf(value);
      return number === undefined ? [] : [{ label: names[index] ?? String(index), value: number }];
    });
  }
  if (!isRecord(probabilities)) return [];
  const keys = Object.keys(probabilities);
  const known = names.filter((name) => keys.includes(name));
  const ordered = [...known, ...keys.filter((key) => !known.includes(key))];
  return ordered.flatMap((key) => {
    const value = numberOf(probabilities[key]);
    return value === undefined ? [] : [{ label: meaningOf(legend, key) ?? key, value }];
  });
}

/** The options or levels of a question, in their order. */
export function criteriaOf({ criteria }: DecisionQuestion): readonly string[] {
  if (criteria === undefined) return [];
  return Array.isArray(criteria) ? criteria.map(String) : Object.keys(criteria);
}
