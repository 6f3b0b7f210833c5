/** Lists of models: chosen by words, in an order, as a table. */
import { type ModelFacts, priceRank, priceWords } from '../../api/model-facts.js';
import type { Column } from '../../terminal/types.js';

export const orders = ['price', 'context', 'name'] as const;
export type Order = (typeof orders)[number];

/** An entry of a list, and what is understood of it. */
export interface Listed {
  readonly entry: unknown;
  readonly facts: ModelFacts;
}

export interface Choice {
  /** Each has to occur, in whatever letters. */
  readonly match: readonly string[];
  readonly sort: Order | undefined;
}

/** The models of that choice, in its order, or else in the order in which they came. */
export function chosen<One extends Listed>(models: readonly One[], { match, sort }: Choice): One[] {
  const words = match.map((word) => word.toLowerCase());
  const fitting = models.filter(({ entry }) => {
    const text = JSON.stringify(entry).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return sort === undefined ? fitting : fitting.sort((one, other) => compare[sort](one, other));
}

type Compare = (one: Listed, other: Listed) => number;

const byName: Compare = ({ facts: one }, { facts: other }) =>
  one.id < other.id ? -1 : one.id > other.id ? 1 : 0;

const compare: Readonly<Record<Order, Compare>> = {
  name: byName,
  price: (one, other) => {
    const [group, rub] = priceRank(one.facts.amounts);
    const [otherGroup, otherRub] = priceRank(other.facts.amounts);
    return group - otherGroup || rub - otherRub || byName(one, other);
  },
  context: (one, other) =>
    (other.facts.contextTokens ?? 0) - (one.facts.contextTokens ?? 0) || byName(one, other),
};

export const modelColumns: readonly Column[] = [
  { title: 'MODEL' },
  { title: 'TYPE' },
  { title: 'PRICE' },
  { title: 'CONTEXT', align: 'right' },
];

/** Cells for `modelColumns`. */
export function modelRow({ facts }: Listed): string[] {
  const { id, type = '', amounts, contextTokens } = facts;
  return [id, type, priceWords(amounts), contextTokens?.toString() ?? ''];
}

/** One of three words. */
export function storageWords({ storedInRussia }: ModelFacts): string {
  if (storedInRussia === undefined) return 'not stated';
  return storedInRussia ? 'in Russia' : 'not in Russia';
}
