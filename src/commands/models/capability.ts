import type { Capability } from '../../api/media/capabilities.js';
import { modelFacts } from '../../api/model-facts.js';
import type { Context } from '../../cli/context.js';
import { isRecord, listOf, recordOf, textOf } from '../../lib/json.js';
import type { Column } from '../../terminal/types.js';
import { showFields, valueText } from '../fields.js';
import { optionsOf, plain, typeWords, type KnownOption } from '../generate/schema.js';
import { cardOf, exampleFor } from './show.js';

const optionColumns: readonly Column[] = [
  { title: 'OPTION', min: 12 },
  { title: 'VALUES', min: 12, wraps: true },
  { title: 'DESCRIPTION', min: 12, wraps: true, drop: 1 },
];

/** Fields that the card and the tables show in other words, and schemas of the same options. */
const shownElsewhere = new Set(
  'kind price operations requestJsonSchema requestSchema conditionalRequirements'.split(' '),
);

const variantColumns: readonly Column[] = [
  { title: 'VARIANT', min: 20 },
  { title: 'AVAILABILITY', drop: 1 },
  { title: 'DESCRIPTION', min: 16, wraps: true, drop: 2 },
];

/** What a media model accepts: its card, its options and its variants; a pipe gets every field. */
export async function showCapability(context: Context, capability: Capability): Promise<void> {
  const { id, kind, entry, operations } = capability;
  const { flags, out } = context;
  if (flags.json || !out.isTerminal) return showFields(context, entry);
  const { type = kind, rest, ...facts } = modelFacts(entry, id);
  const axes = listOf(recordOf(rest['price'])['axes']).map(valueText);
  const more = Object.entries(rest).filter(([name]) => !shownElsewhere.has(name));
  const shown = { ...facts, type, channels: [], supports: [], rest: Object.fromEntries(more) };
  const example = exampleFor(shown, undefined, capability);
  const card = cardOf(context, shown, example).map(([name, value]) => {
    const depends = name === 'Price' && axes.length > 0 ? `, depends on ${axes.join(', ')}` : '';
    return [name, value + depends];
  });
  await out.fields(card.filter(([, value]) => value !== 'not stated'));
  const options = optionsOf(operations.map(({ schema }) => schema));
  if (options.length > 0) await out.line('');
  await out.table(optionColumns, options.map(optionCells));
  const variants = listOf(entry['providerVariants']).filter(isRecord);
  if (variants.length > 0) await out.line('');
  const cells = variants.map((variant) =>
    ['id', 'availability', 'description'].map((name) => textOf(variant[name]) ?? ''),
  );
  await out.table(variantColumns, cells);
}

function optionCells({ name, isRequired, ...shape }: KnownOption): string[] {
  const { schemas } = shape;
  const [given] = schemas.flatMap(({ default: value }) => (value === undefined ? [] : [value]));
  const notes = given === undefined ? [] : [`default: ${plain(given)}`];
  const values = [typeWords(shape), ...(isRequired ? ['required'] : notes)].join('; ');
  const about = schemas.map((schema) => textOf(schema['description'])).find(Boolean);
  return [name, values, about ?? ''];
}
