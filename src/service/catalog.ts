/** The embedded models, their prices and the names they answer to. */
import type { searchModes } from '../contract/enums.js';
import { ServiceFailure } from './failure.js';

/** Prices in micro-roubles a token: the same number is RUB for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

interface Variant {
  readonly alias: string;
  readonly price: Price;
  /** How every call through it fails, to see how a caller takes it; nothing is charged. */
  readonly fails?: 502 | 504;
}

export interface Model {
  readonly id: string;
  readonly type: 'text' | 'embedding' | 'decision';
  readonly summary: string;
  readonly contextTokens: number;
  readonly inputs: readonly ('text' | 'image')[];
  /** The first one serves when none is pinned. */
  readonly variants: readonly [Variant, ...Variant[]];
}

/** A model that the three chat formats reach. */
export interface ChatModel extends Model {
  readonly engine: 'guide' | 'echo' | 'script';
  /** Whether what it is sent is kept in Russia; null where nobody says. */
  readonly storesDataInRussia: boolean | null;
}

const vendor = 'local/';

function variants(price: Price): [Variant, ...Variant[]] {
  const economy = { input: price.input / 2, output: price.output / 2 };
  return [
    { alias: 'standard', price },
    { alias: 'economy', price: economy },
  ];
}

/** All three words for storage occur, so that whoever reads the catalog meets them. */
export const chatModels: readonly ChatModel[] = [
  {
    id: 'local/guide',
    type: 'text',
    engine: 'guide',
    storesDataInRussia: null,
    summary: 'Answers questions about svc from its manual',
    contextTokens: 1_000_000,
    inputs: ['text', 'image'],
    variants: variants({ input: 100, output: 400 }),
  },
  {
    id: 'local/echo',
    type: 'text',
    engine: 'echo',
    storesDataInRussia: false,
    summary: 'Sends the last user message back, byte for byte',
    contextTokens: 10_000_000,
    inputs: ['text'],
    variants: variants({ input: 20, output: 20 }),
  },
  {
    id: 'local/script',
    type: 'text',
    engine: 'script',
    storesDataInRussia: true,
    summary: 'Answers from a file of rules, for test suites',
    contextTokens: 10_000_000,
    inputs: ['text', 'image'],
    variants: variants({ input: 100, output: 400 }),
  },
];

/** The input price alone: what these models answer is free. */
const inputOnly = (input: number): Price => ({ input, output: 0 });

export const embed: Model = {
  id: 'local/embed',
  type: 'embedding',
  summary: 'Turns texts into vectors that are near where the texts share words and spellings',
  contextTokens: 8192,
  inputs: ['text'],
  variants: variants(inputOnly(2)),
};

export const decide: Model = {
  id: 'local/decide',
  type: 'decision',
  summary: 'Decides named questions by how near their answers are to the state',
  contextTokens: 131_072,
  inputs: ['text'],
  variants: [
    ...variants(inputOnly(40)),
    { alias: 'failing', price: inputOnly(40), fails: 502 },
    { alias: 'stalling', price: inputOnly(40), fails: 504 },
  ],
};

export const models: readonly Model[] = [...chatModels, embed, decide];

export interface Resolved<Kind extends Model = Model> {
  readonly model: Kind;
  readonly variant: Variant;
  readonly pinned: boolean;
}

/** The id by which a resolved model answers: with its channel when that was pinned. */
export function publicId({ model, variant, pinned }: Resolved): string {
  return pinned ? `${model.id}:${variant.alias}` : model.id;
}

/** Finds a model by public id, by its short form, or by either with a channel pinned. */
export function findModel<Kind extends Model>(
  name: string,
  offered: readonly Kind[],
): Resolved<Kind> | undefined {
  const [bare = '', alias, ...rest] = name.split(':');
  const model = offered.find(({ id }) => id === bare || id === vendor + bare);
  const variant = model?.variants.find((one) => alias === undefined || one.alias === alias);
  if (!model || !variant || rest.length > 0) return undefined;
  return { model, variant, pinned: alias !== undefined };
}

/** @param offered what the refusal names in place of a model that there is not */
export function noModel(
  name: string,
  offered: readonly Model[],
  status: 400 | 404 = 404,
): ServiceFailure {
  const known = offered.map(({ id }) => id).join(', ');
  const there = `there ${offered.length === 1 ? 'is' : 'are'} ${known}`;
  const message = `the model ${JSON.stringify(name.slice(0, 100))} does not exist; ${there}`;
  return new ServiceFailure(status, 'model_not_found', message, { param: 'model' });
}

/** What a search costs, in micro-roubles (section 2.9: turbo is fixed, whatever it finds). */
export const searchPrices = {
  turbo: { perRequest: 300_000, perResult: 0 },
  base: { perRequest: 300_000, perResult: 30_000 },
  pro: { perRequest: 600_000, perResult: 60_000 },
} as const satisfies Readonly<Record<(typeof searchModes)[number], object>>;
