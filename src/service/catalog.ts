/** The embedded models, their prices and the names they answer to. */
import { ServiceFailure } from './failure.js';

/** Prices in micro-roubles a token: the same number is RUB for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** A channel that serves a model: `local/echo:economy` pins one. */
export interface Variant {
  readonly alias: string;
  readonly price: Price;
}

export interface Model {
  /** The public id (section 2.1). */
  readonly id: string;
  readonly engine: 'guide' | 'echo' | 'script';
  readonly summary: string;
  readonly contextTokens: number;
  readonly inputs: readonly ('text' | 'image')[];
  /** The first one serves when none is pinned. */
  readonly variants: readonly [Variant, ...Variant[]];
}

/** The vendor part of every embedded model. */
const vendor = 'local/';

function variants(price: Price): [Variant, ...Variant[]] {
  const economy = { input: price.input / 2, output: price.output / 2 };
  return [
    { alias: 'standard', price },
    { alias: 'economy', price: economy },
  ];
}

export const models: readonly Model[] = [
  {
    id: 'local/guide',
    engine: 'guide',
    summary: 'Answers questions about svc from its manual',
    contextTokens: 1_000_000,
    inputs: ['text', 'image'],
    variants: variants({ input: 100, output: 400 }),
  },
  {
    id: 'local/echo',
    engine: 'echo',
    summary: 'Sends the last user message back, byte for byte',
    contextTokens: 10_000_000,
    inputs: ['text'],
    variants: variants({ input: 20, output: 20 }),
  },
  {
    id: 'local/script',
    engine: 'script',
    summary: 'Answers from a file of rules, for test suites',
    contextTokens: 10_000_000,
    inputs: ['text', 'image'],
    variants: variants({ input: 100, output: 400 }),
  },
];

/** A model and the channel that serves it. */
export interface Resolved {
  readonly model: Model;
  readonly variant: Variant;
  /** Whether the caller pinned the channel. */
  readonly pinned: boolean;
}

/** The id by which a resolved model answers: with its channel when that was pinned. */
export function publicId({ model, variant, pinned }: Resolved): string {
  return pinned ? `${model.id}:${variant.alias}` : model.id;
}

/** Whether a name is one of a text model, whatever channel it pins. */
export function isTextModel(name: string): boolean {
  const [bare = ''] = name.split(':');
  return models.some(({ id }) => id === bare || id === vendor + bare);
}

/**
 * Finds a model by public id, by its short form, or by either with a channel pinned.
 * @throws ServiceFailure 404 when there is none
 */
export function resolveModel(name: string): Resolved {
  const [bare = '', alias, ...rest] = name.split(':');
  const model = models.find(({ id }) => id === bare || id === vendor + bare);
  const variant = model?.variants.find((one) => alias === undefined || one.alias === alias);
  if (!model || !variant || rest.length > 0) {
    const known = models.map(({ id }) => id).join(', ');
    throw new ServiceFailure(
      404,
      'model_not_found',
      `the model ${JSON.stringify(name.slice(0, 100))} does not exist; there are ${known}`,
      { param: 'model' },
    );
  }
  return { model, variant, pinned: alias !== undefined };
}

/** The price of a call, in micro-roubles; never nothing. */
export function priceOf(price: Price, inputTokens: number, outputTokens: number): number {
  return Math.max(1, price.input * inputTokens + price.output * outputTokens);
}
