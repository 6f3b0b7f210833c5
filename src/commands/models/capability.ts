/** What a media model accepts: `svc models capabilities MODEL` and `svc generate MODEL --help`. */
import type { Capability } from '../../api/media/capabilities.js';
import { modelFacts } from '../../api/model-facts.js';
import type { Context, Handler } from '../../context.js';
import { ConfigError, SvcError } from '../../errors.js';
import { openJobs } from '../../jobs/job.js';
import { isRecord, listOf, recordOf, textOf, valueText } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { titles, type Column } from '../../terminal/types.js';
import { showFields } from '../fields.js';
import type { generate } from '../generate/index.js';
import { knownModel } from '../../media/model.js';
import { needs, optionsOf, typeWords, type KnownOption } from '../../media/model-options.js';
import { cardOf, exampleFor } from './show.js';

const optionColumns = titles(
  { title: 'OPTION', min: 12 },
  { title: 'VALUES', min: 12, wraps: true },
  { title: 'DESCRIPTION', min: 12, wraps: true, drop: 1 },
);

const variantColumns = titles(
  { title: 'VARIANT', min: 20 },
  { title: 'AVAILABILITY', drop: 1 },
  { title: 'DESCRIPTION', min: 16, wraps: true, drop: 2 },
);

/** Fields that the card and the tables show in other words, and schemas of the same options. */
const shownElsewhere = new Set(
  'kind price operations requestJsonSchema requestSchema conditionalRequirements'.split(' '),
);

/** A pipe gets every field. */
export async function showCapability(context: Context, capability: Capability): Promise<void> {
  const { flags, out } = context;
  if (flags.json || !out.isTerminal) return showFields(context, capability.entry);
  await describe(context, capability);
}

/** The rest of the help is shown even if the service cannot be asked. */
export const help: Handler<typeof generate> = async (context, { args: { model }, options }) => {
  const { out } = context;
  try {
    const known = await knownModel(await openJobs(context), model, options.refresh);
    await out.line('');
    const guess = (known.guess ?? '').replace(/^d/, ' D');
    const unknown = `The service has no media model ${plainText(known.model, 100)}.${guess}`;
    await (known.capability ? describe(context, known.capability) : out.line(unknown));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const how = error instanceof ConfigError ? '; --local shows those of the local models' : '';
    out.note(`the options of ${model} are unknown: ${error.message}${how}`);
  }
};

/** Its card, its options and its variants; for people in a pipe, too. */
async function describe(context: Context, capability: Capability): Promise<void> {
  const { id, kind, entry, operations } = capability;
  const { out } = context;
  const { drawFields, growingTable } = await import('../../terminal/table.js');
  const table = (columns: readonly Column[], rows: string[][]) =>
    out.isTerminal
      ? out.table(columns, rows)
      : out.text(rows.length === 0 ? '' : growingTable(columns)(rows));
  const { type = kind, rest, ...facts } = modelFacts(entry, id);
  const axes = listOf(recordOf(rest['price'])['axes']).map(valueText);
  const more = Object.entries(rest).filter(([name]) => !shownElsewhere.has(name));
  const shown = { ...facts, type, channels: [], supports: [], rest: Object.fromEntries(more) };
  const screen = { ...context, out: { isTerminal: true } };
  const example = exampleFor(shown, undefined, capability);
  // The help of the model is this text.
  const tried = example?.endsWith('--help') ? undefined : example;
  const card = cardOf(screen, shown, tried).map(([name, value]) => {
    const depends = name === 'Price' && axes.length > 0 ? `, depends on ${axes.join(', ')}` : '';
    return [name, value + depends];
  });
  await (out.isTerminal ? out.fields(card) : out.text(drawFields(card)));
  if (operations.length === 0) await out.line('\nOptions: not described; --opt accepts any.');
  for (const { name, schema } of operations) {
    const isNamed = operations.length > 1 && name !== undefined;
    const title = isNamed ? `Options to ${plainText(name, 60)}` : 'Options';
    const options = optionsOf([schema]);
    await out.line(`\n${title}${options.length === 0 ? ': none' : ' (--opt NAME=VALUE):'}`);
    await table(optionColumns, options.map(optionCells));
    await out.line(needs(schema, 'prompt') ? 'A prompt is required.' : 'The prompt is optional.');
  }
  const variants = listOf(entry['providerVariants']).filter(isRecord);
  if (variants.length === 0) return;
  await out.line('');
  const cells = variants.map((variant) =>
    ['id', 'availability', 'description'].map((name) => textOf(variant[name]) ?? ''),
  );
  await table(variantColumns, cells);
}

function optionCells({ name, isRequired, ...shape }: KnownOption): string[] {
  const { schemas } = shape;
  const withDefault = schemas.find((schema) => schema['default'] !== undefined);
  const notes = isRequired ? ['required'] : [];
  if (withDefault) notes.push(`default: ${valueText(withDefault['default'])}`);
  const values = typeWords(shape) + (notes.length === 0 ? '' : ` (${notes.join(', ')})`);
  const about = schemas.map((schema) => textOf(schema['description'])).find(Boolean);
  return [name, values, about ?? ''];
}
