/** The options of each media model (sections 2.11 and 4.2): every page of the list, and one model. */
import * as limits from '../../contract/limits.js';
import { getCapabilities } from '../../contract/models.js';
import { ApiError } from '../../errors.js';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { withUnnamed } from '../beyond-spec.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import { freshPages } from '../pages.js';

/** Schemas of many models are large; anything larger is not a list of models. */
const bounds = { maxBytes: 64 * 1024 * 1024, maxValues: 5_000_000 };
/** No service has more; a longer list must not fill the memory. */
const maxModels = 20_000;

export async function capabilitiesPage(
  client: Client,
  query: { readonly page?: number; readonly pageSize?: number },
) {
  return (await call(client, getCapabilities, { query }, bounds)).data;
}

export async function fetchCapabilities(client: Client): Promise<JsonRecord[]> {
  const models: JsonRecord[] = [];
  for await (const entries of capabilityPages(client)) {
    models.push(...entries.filter(isRecord));
    if (models.length > maxModels) {
      throw new ApiError('the service lists more media models than svc reads', {
        status: 200,
        code: 'invalid_reply',
      });
    }
  }
  return models;
}

/** The entries of every page; `onBeside` gets what else is on a page, and the total. */
export function capabilityPages(
  client: Client,
  onBeside?: (fields: JsonRecord, total: number | undefined) => void,
): AsyncGenerator<readonly unknown[], void, undefined> {
  return freshPages<unknown>(
    async (page) => {
      const query = { page, pageSize: limits.capabilitiesPage.max };
      const ask = async (isPaged: boolean) => {
        const pages = isPaged ? query : {};
        const { models, pagination, ...fields } = await capabilitiesPage(client, pages);
        const total = pagination?.total ?? undefined;
        onBeside?.(fields, total);
        // Without pages, this is the whole list.
        const all = isPaged ? total : models.length;
        return { items: models, total: all, limit: pagination?.pageSize ?? undefined };
      };
      return withUnnamed(client, /\bpage(?:_?size)?\b/i, ask);
    },
    (entry) => {
      const ids = isRecord(entry) ? idsOf(entry) : [];
      return JSON.stringify(ids.length > 0 ? ids : entry);
    },
  );
}

/** One way to use a model, with the schema of the exact body. */
export interface Operation {
  readonly name: string | undefined;
  readonly schema: JsonRecord;
}

export interface Capability {
  readonly id: string;
  readonly kind: string | undefined;
  readonly operations: readonly Operation[];
  readonly entry: JsonRecord;
}

/** The model of that id: in full, by an alias, without its vendor, or with a pinned variant. */
export function capabilityOf(models: readonly JsonRecord[], id: string): Capability | undefined {
  const bare = id.replace(/:[^/:]*$/, '');
  const entry =
    models.find((model) => idsOf(model).includes(id)) ??
    models.find((model) => idsOf(model).includes(bare)) ??
    models.find((model) => idsOf(model).some((one) => one.split('/').at(-1) === bare));
  if (!entry) return undefined;
  const kind = textOf(entry['kind']) ?? textOf(entry['type']);
  return { id: idsOf(entry)[0] ?? id, kind, operations: operationsOf(entry), entry };
}

/** The public id first; the names of these fields are not shown (section 2.11). */
export function idsOf(model: JsonRecord): string[] {
  const names = ['id', 'model', 'publicId', 'public_id', 'name'].map((key) => model[key]);
  const aliases = ['aliases', 'providerAliases', 'provider_aliases'].flatMap((key) =>
    listOf(model[key]),
  );
  return [...names, ...aliases].flatMap((value) => (value === '' ? [] : (textOf(value) ?? [])));
}

/** Section 2.11: operations[].requestJsonSchema; a model may have it without operations, too. */
function operationsOf(entry: JsonRecord): readonly Operation[] {
  const listed = listOf(entry['operations']).flatMap((holder) => {
    const operation = recordOf(holder);
    const { requestJsonSchema: schema } = operation;
    const names = ['operation', 'name', 'id', 'type'].map((key) => textOf(operation[key]));
    return isRecord(schema) ? [{ name: names.find(Boolean), schema }] : [];
  });
  const { requestJsonSchema: schema } = entry;
  return listed.length === 0 && isRecord(schema) ? [{ name: undefined, schema }] : listed;
}
