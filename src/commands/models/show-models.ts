/** Shows a list of models that the specification does not show, as a table of what is understood. */
import { modelFacts } from '../../api/model-facts.js';
import { entriesIn } from '../../api/models.js';
import type { Context } from '../../cli/context.js';
import { isRecord } from '../../lib/json.js';
import type { Column } from '../../terminal/types.js';
import { showFields } from '../fields.js';
import { showRest } from '../reply-table.js';
import { chosen, type Choice, type Listed } from './listing.js';

export interface ModelTable {
  readonly columns: readonly Column[];
  readonly row: (model: Listed) => string[];
}

/** What holds no list of models is shown as it came; so is everything under --json. */
export async function showModels(
  context: Context,
  data: unknown,
  choice: Choice,
  { columns, row }: ModelTable,
): Promise<void> {
  const { flags, out } = context;
  const found = entriesIn(data);
  if (!found) {
    await showFields(context, data);
    return;
  }
  const read = found.entries.map((entry) => ({ entry, facts: modelFacts(entry) }));
  const models = chosen(read, choice);
  if (flags.json) {
    const isWhole = choice.match.length === 0 && choice.sort === undefined;
    const entries = models.map(({ entry }) => entry);
    await out.json(isWhole ? data : withEntries(data, entries));
    return;
  }
  if (models.length === 0) out.note('no models');
  await out.table(columns, models.map(row));
  await showRest(context, found.rest);
}

/** The reply with these in place of its list. */
function withEntries(data: unknown, entries: readonly unknown[]): unknown {
  if (!isRecord(data)) return entries;
  const name = Object.keys(data).find((key) => Array.isArray(data[key]));
  return name === undefined ? entries : { ...data, [name]: entries };
}
