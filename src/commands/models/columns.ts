/** The columns of the lists of models, for people and for pipes. */
import { capabilityOf } from '../../api/media/capabilities.js';
import { listedPrices, type ModelFacts } from '../../api/model-facts.js';
import type { Context } from '../../context.js';
import { isRecord, listOf, recordOf, textOf, valueText } from '../../lib/json.js';
import type { Column } from '../../terminal/types.js';
import { countCell, numberCell } from '../cells.js';
import type { ListView } from '../listing.js';
import { namedValues, storageWords } from './show.js';

/** An entry of a list, and what svc understands of it. */
export interface Listed {
  readonly entry: unknown;
  readonly facts: ModelFacts;
}

type ModelCell = (facts: ModelFacts, context: Context, entry: unknown) => string;

/** @param place 0 for input, or what has no input; 1 for output */
function priceColumn(place: 0 | 1) {
  const cell: ModelCell = ({ amounts }, { out }) => {
    const { what = '', rub } = listedPrices(amounts)[place] ?? {};
    const number = numberCell({ out }, rub);
    const isSaid = !out.isTerminal || what === 'in' || what === 'out';
    return isSaid ? number : `${what} ${number}`.trim();
  };
  return { align: 'right', cell } as const;
}

const columns = {
  MODEL: { min: 24, cell: ({ id }) => id },
  TYPE: { drop: 2, cell: ({ type = '' }) => type },
  KIND: { drop: 1, cell: ({ type = '' }) => type },
  PRICE: priceColumn(0),
  'PRICE OUT': { ...priceColumn(1), drop: 1 },
  UNIT: {
    min: 6,
    drop: 1,
    cell: ({ amounts }) => {
      const shown = listedPrices(amounts).find((amount) => amount !== undefined);
      if (!shown) return '';
      return shown.per === undefined ? 'RUB' : `RUB/${shown.per}`;
    },
  },
  CONTEXT: {
    align: 'right',
    drop: 3,
    cell: ({ contextTokens }, context) => countCell(context, contextTokens),
  },
  STORED: { drop: 2, cell: storageWords },
  VARIANTS: {
    min: 10,
    drop: 5,
    cell: ({ channels }) => channels.map(({ id }) => id.split(':').at(-1) ?? id).join(', '),
  },
  OPTIONS: {
    min: 12,
    drop: 4,
    cell: ({ rest }) => listOf(rest['params']).map(valueText).join(', '),
  },
  OPERATIONS: {
    min: 8,
    drop: 4,
    cell: ({ id }, _, entry) => {
      const operations = capabilityOf([recordOf(entry)], id)?.operations ?? [];
      return operations.flatMap(({ name }) => name ?? []).join(', ');
    },
  },
  AVAILABILITY: { drop: 3, cell: ({ rest }) => textOf(rest['availability']) ?? '' },
  // Fields without a column of their own, by name.
  OTHER: {
    min: 16,
    drop: 3,
    cell: ({ about, amounts, channels, rest }) => {
      const others = amounts.filter((amount) => !listedPrices(amounts).includes(amount));
      const named = others.map(({ what, per, rub }) => [what || (per ?? 'price'), rub] as const);
      const other = { ...rest, ...Object.fromEntries(named), ...(about && { about }) };
      return [...channels.map(({ id }) => id), ...namedValues(other)].join(' ');
    },
  },
} as const satisfies Record<string, Omit<Column, 'title'> & { readonly cell: ModelCell }>;

export type Titles = readonly (keyof typeof columns)[];

export function viewOf(context: Context, ...shown: Titles): ListView<Listed> {
  const cells = shown.map((title): ModelCell => columns[title].cell);
  return {
    columns: shown.map((title) => ({ title, ...columns[title] })),
    row: ({ entry, facts }) =>
      isRecord(entry) ? cells.map((cell) => cell(facts, context, entry)) : [valueText(entry)],
    empty: 'no models',
  };
}

export const prices = ['PRICE', 'PRICE OUT', 'UNIT'] as const;
export const plain: Titles = ['MODEL', 'TYPE', ...prices, 'CONTEXT'];
export const ofMedia: Titles = ['MODEL', 'KIND', 'OPERATIONS', 'PRICE', 'UNIT', 'AVAILABILITY'];
