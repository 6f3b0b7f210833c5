/** The card of one model: what is understood of it by name, then what is not as it came. */
import { type Channel, type ModelFacts, priceWords } from '../../api/model-facts.js';
import { valueText } from '../fields.js';
import { storageWords } from './listing.js';

/** Rows of a name and a value. */
export function cardRows(facts: ModelFacts, example: string | undefined): [string, string][] {
  const { type, about, contextTokens, inputs, outputs, channels, supports } = facts;
  const rows: [string, string | undefined][] = [
    ['Model', facts.id],
    ['Type', type],
    ['About', about],
    ['Price', priceWords(facts.amounts)],
    ['Context', contextTokens === undefined ? undefined : `${String(contextTokens)} tokens`],
    ['Takes', inputs.join(', ')],
    ['Gives', outputs.join(', ')],
    ...channels.map((channel): [string, string] => ['Address', channelWords(channel)]),
    ['Stored', storageWords(facts)],
    ['Supports', supports.join(', ')],
    ...Object.entries(facts.rest).map(([name, value]): [string, string] => [
      name,
      valueText(value),
    ]),
    ['Try', example],
  ];
  return rows.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

function channelWords({ id, amounts, rest }: Channel): string {
  const other = Object.entries(rest).map(([name, value]) => `${name}=${valueText(value)}`);
  return [id, priceWords(amounts), ...other].filter((part) => part !== '').join(' · ');
}
