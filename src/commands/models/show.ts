import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { capabilityOf, fetchCapabilities, type Capability } from '../../api/media/capabilities.js';
import { modelFacts, type ModelFacts, priceWords } from '../../api/model-facts.js';
import { catalogEntries, modelNames, withoutChannel } from '../../api/models.js';
import type { Handler } from '../../cli/declaration.js';
import { mediaKinds } from '../../contract/enums.js';
import { getModel, listModels } from '../../contract/models.js';
import { ApiError, type SvcError } from '../../errors.js';
import { isRecord, type JsonRecord, listOf, recordOf } from '../../lib/json.js';
import { shellWord } from '../../lib/names.js';
import { showFields, valueText } from '../fields.js';
import { unknownModel } from '../known-model.js';
import type { show } from './index.js';
import { namedValues, storageWords } from './lists.js';

export const run: Handler<typeof show> = async (context, { args: { id } }) => {
  const client = await context.client();
  const asked = call(client, getModel, { params: { id } });
  const { data } = await asked.catch(async (error: unknown) => {
    const isUnknown = error instanceof ApiError && error.status === 404;
    throw isUnknown ? await withSimilar(client, id, error) : error;
  });
  // Section 4.10 does not show whether the entry is wrapped.
  const entry = isRecord(data) && isRecord(data['data']) ? data['data'] : data;
  if (!isRecord(data) || !isRecord(entry)) return showFields(context, data);
  const own = modelFacts(entry, id);
  const { catalog, capability } = await moreOf(client, own);
  // The model's own fields come first and win over these two.
  const all = { ...data, catalog, capability: capability?.entry, ...data };
  if (context.flags.json) return context.out.json(all);
  const facts = joined(own, modelFacts(catalog ?? capability?.entry ?? {}, own.id));
  const example = exampleFor(facts, catalog, capability);
  const fields = cardOf(facts, example && context.commandHint(`svc ${example}`));
  await context.out.fields(fields);
};

/** The error with the most similar name; where the service cannot list its models, as it was. */
async function withSimilar(client: Client, id: string, refused: ApiError): Promise<SvcError> {
  const every = call(client, listModels, { query: { all: 'true' } });
  const lists = await Promise.all([every, modelNames(client)]).catch(() => undefined);
  if (!lists) return refused;
  const [{ data }, named = []] = lists;
  const names = [...data.data.map((one) => one.id), ...named];
  return unknownModel(id, names, 'see which there are: `svc models list --all`');
}

/** The longest time to wait for the optional parts of the card. */
const timeLimitMs = 5000;

async function moreOf(client: Client, { id, type }: ModelFacts) {
  const deadlineMs = Math.min(client.deadlineMs ?? timeLimitMs, timeLimitMs);
  const limited = { ...client, deadlineMs };
  const isMedia = mediaKinds.some((kind) => kind === type);
  const entries = isMedia ? [] : await catalogEntries(limited).catch(() => []);
  const catalog = entries.find((one) => [id, withoutChannel(id)].includes(modelFacts(one).id));
  if (catalog || (type !== undefined && !isMedia)) return { catalog, capability: undefined };
  const models = await fetchCapabilities(limited).catch(() => []);
  return { catalog, capability: capabilityOf(models, id) };
}

/** The model's own entry, completed with what the other list has. */
function joined(own: ModelFacts, more: ModelFacts): ModelFacts {
  const isOpen = (value: unknown) =>
    Array.isArray(value) ? value.length === 0 : value === undefined;
  const known = Object.entries(own).filter(([, value]) => !isOpen(value));
  const hasDetail = more.channels.some(({ amounts }) => amounts.length > 0);
  const channels = hasDetail || isOpen(own.channels) ? more.channels : own.channels;
  return { ...more, ...Object.fromEntries(known), type: own.type, channels };
}

function cardOf(facts: ModelFacts, example: string | undefined): (readonly [string, string])[] {
  const { contextTokens } = facts;
  const rows: (readonly [string, string | undefined])[] = [
    ['Model', facts.id],
    ['Type', facts.type],
    ['About', facts.about],
    ['Price', priceWords(facts.amounts)],
    ['Context', contextTokens === undefined ? undefined : `${contextTokens} tokens`],
    ['Takes', facts.inputs.join(', ')],
    ['Gives', facts.outputs.join(', ')],
    ...facts.channels.map(({ id, amounts, rest }) => {
      const words = [id, priceWords(amounts), ...namedValues(rest)].filter((word) => word !== '');
      return ['Address', words.join(' · ')] as const;
    }),
    ['Stored', storageWords(facts)],
    ['Supports', facts.supports.join(', ')],
    ...Object.entries(facts.rest).map(([name, value]) => [name, valueText(value)] as const),
    ['Try', example],
  ];
  return rows.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

function exampleFor(
  { id, type = '', outputs }: ModelFacts,
  catalog: JsonRecord | undefined,
  capability: Capability | undefined,
): string | undefined {
  const [word, kind] = [shellWord(id), type.toLowerCase()];
  if (kind.includes('embed')) return `embed -m ${word} "some text"`;
  if (kind.includes('decision')) {
    return `decide -m ${word} --state "it rains" --noul umbrella="Is an umbrella of use?"`;
  }
  if (capability || mediaKinds.some((one) => one === kind)) {
    return `generate ${word} ${takesPromptAlone(capability) ? '"a lighthouse"' : '--help'}`;
  }
  const speaks =
    catalog !== undefined || /^(text|chat|llm|language)/.test(kind) || outputs.includes('text');
  return speaks ? `chat -m ${word} "Hello"` : undefined;
}

/** Whether a prompt is all that the model requires; otherwise the help lists the rest. */
function takesPromptAlone(capability: Capability | undefined): boolean {
  const [operation, ...others] = capability?.operations ?? [];
  if (!operation || others.length > 0) return false;
  const { required, anyOf, oneOf, allOf, properties } = operation.schema;
  if ([anyOf, oneOf, allOf].some((branches) => branches !== undefined)) return false;
  const needed = listOf(required);
  const opts = recordOf(recordOf(properties)['opts']);
  return needed.includes('prompt') && !needed.includes('opts') && opts['anyOf'] === undefined;
}
