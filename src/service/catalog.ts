/** The embedded models, their prices and names. */
import type { searchModes } from '../contract/enums.js';
import { ServiceFailure } from './failure.js';

interface Variant {
  readonly alias: string;
  /** Micro-roubles per token, which equals RUB per million tokens. */
  readonly price: { readonly input: number; readonly output: number };
  /** The error of every call through it, for tests of callers; nothing is charged. */
  readonly fails?: 502 | 504;
}

export interface Model {
  readonly id: string;
  readonly type: 'text' | 'embedding' | 'decision';
  readonly summary: string;
  readonly contextTokens: number;
  readonly inputs: readonly ('text' | 'image')[];
  /** The first one is the default. */
  readonly variants: readonly [Variant, ...Variant[]];
}

export interface ChatModel extends Model {
  readonly engine: 'guide' | 'echo' | 'script';
  /** Whether requests are stored in Russia; null where unknown. */
  readonly storesDataInRussia: boolean | null;
}

const vendor = 'local/';

function variants(input: number, output: number): [Variant, ...Variant[]] {
  const economy = { alias: 'economy', price: { input: input / 2, output: output / 2 } };
  return [{ alias: 'standard', price: { input, output } }, economy];
}

function chatModel(engine: ChatModel['engine'], model: Omit<ChatModel, 'id' | 'type' | 'engine'>) {
  return { id: vendor + engine, type: 'text' as const, engine, ...model };
}

/** All three values of storage occur, so that readers of the catalog meet them. */
export const chatModels: readonly ChatModel[] = [
  chatModel('guide', {
    summary: 'Answers questions about svc from its manual',
    contextTokens: 1_000_000,
    inputs: ['text', 'image'],
    variants: variants(100, 400),
    storesDataInRussia: null,
  }),
  chatModel('echo', {
    summary: 'Sends the last user message back, byte for byte',
    contextTokens: 10_000_000,
    inputs: ['text'],
    variants: variants(20, 20),
    storesDataInRussia: false,
  }),
  chatModel('script', {
    summary: 'Answers from a file of rules, for test suites',
    contextTokens: 10_000_000,
    inputs: ['text', 'image'],
    variants: variants(100, 400),
    storesDataInRussia: true,
  }),
];

export const embed: Model = {
  id: 'local/embed',
  type: 'embedding',
  summary: 'Turns texts into vectors; texts that share words and spellings are close',
  contextTokens: 8192,
  inputs: ['text'],
  variants: variants(2, 0),
};

export const decide: Model = {
  id: 'local/decide',
  type: 'decision',
  summary: 'Answers named questions by how close each answer is to the state',
  contextTokens: 131_072,
  inputs: ['text'],
  variants: [
    ...variants(40, 0),
    { alias: 'failing', price: { input: 40, output: 0 }, fails: 502 },
    { alias: 'stalling', price: { input: 40, output: 0 }, fails: 504 },
  ],
};

export const models: readonly Model[] = [...chatModels, embed, decide];

/** What models of text and of media have in common. */
interface Named {
  readonly id: string;
  readonly variants: readonly [{ readonly alias: string }, ...{ readonly alias: string }[]];
}

/** A model under one of its names; a pinned name has the alias of a variant. */
export interface ModelRoute<Kind extends Named = Model> {
  readonly model: Kind;
  readonly variant: Kind['variants'][number];
  readonly pinned: boolean;
}

export function publicId({ model, variant, pinned }: ModelRoute<Named>): string {
  return pinned ? `${model.id}:${variant.alias}` : model.id;
}

export function findModel<Kind extends Named>(
  name: string,
  offered: readonly Kind[],
): ModelRoute<Kind> | undefined {
  const [bare = '', alias, ...rest] = name.split(':');
  const model = offered.find(({ id }) => id === bare || id === vendor + bare);
  const variants: readonly Kind['variants'][number][] = model?.variants ?? [];
  const variant = variants.find((one) => alias === undefined || one.alias === alias);
  if (!model || !variant || rest.length > 0) return undefined;
  return { model, variant, pinned: alias !== undefined };
}

/** @param offered the models that the refusal lists */
export function noModel(name: string, offered: readonly Model[], status: 400 | 404 = 404) {
  const known = `${offered.length === 1 ? 'is' : 'are'} ${offered.map(({ id }) => id).join(', ')}`;
  const message = `the model ${JSON.stringify(name.slice(0, 100))} does not exist; there ${known}`;
  return new ServiceFailure(status, 'model_not_found', message, { param: 'model' });
}

/** The price of a search in micro-roubles (section 2.9: turbo is fixed). */
export const searchPrices = {
  turbo: { perRequest: 300_000, perResult: 0 },
  base: { perRequest: 300_000, perResult: 30_000 },
  pro: { perRequest: 600_000, perResult: 60_000 },
} as const satisfies Readonly<Record<(typeof searchModes)[number], object>>;
