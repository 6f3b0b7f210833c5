import { call } from '../../api/call.js';
import { hurried, type Client } from '../../api/client.js';
import { capabilityOf, fetchCapabilities, type Capability } from '../../api/media/capabilities.js';
import { modelFacts, types, type ModelFacts } from '../../api/model-facts.js';
import { catalogEntries, modelNames, withoutChannel } from '../../api/models.js';
import type { Context, Handler } from '../../context.js';
import { mediaKinds } from '../../contract/enums.js';
import { getModel, listModels } from '../../contract/models.js';
import { isRefusal, type ApiError, type SvcError } from '../../errors.js';
import { isRecord, type JsonRecord, recordOf, valueText } from '../../lib/json.js';
import { shellWord } from '../../lib/names.js';
import { countCell, priceCell, type Screen } from '../cells.js';
import { fieldRows, showFields } from '../fields.js';
import { needs } from '../../media/model-options.js';
import { unknownModel } from '../../jobs/known-model.js';
import type { show } from './index.js';

export const run: Handler<typeof show> = async (context, { args: { id } }) => {
  const client = await context.client();
  const asking = call(client, getModel, { params: { id } });
  const { data } = await asking.catch(async (error: unknown) => {
    throw isRefusal(error, 404) ? await withSimilar(client, id, error) : error;
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
  await context.out.fields(cardOf(context, facts, exampleFor(facts, catalog, capability)));
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

const timeLimitMs = 5000;

async function moreOf(client: Client, { id, type }: ModelFacts) {
  const limited = hurried(client, timeLimitMs);
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

export function cardOf(
  context: Screen & Pick<Context, 'commandHint'>,
  facts: ModelFacts,
  example: string | undefined,
) {
  const { contextTokens, storedInRussia } = facts;
  const rows: (readonly [string, string | number | undefined])[] = [
    ['Model', facts.id],
    ['Type', facts.type],
    ['About', facts.about],
    ['Price', priceCell(context, facts.amounts)],
    ['Context', contextTokens && `${countCell(context, contextTokens)} tokens`],
    ['Input', facts.inputs.join(', ')],
    ['Output', facts.outputs.join(', ')],
    ...facts.channels.map(({ id, amounts, rest }) => {
      const words = [id, priceCell(context, amounts), ...namedValues(rest)];
      return ['Address', words.filter((word) => word !== '').join(' · ')] as const;
    }),
    ['Stored', context.out.isTerminal && storedInRussia === undefined ? '' : storageWords(facts)],
    ['Supports', facts.supports.join(', ')],
    ...fieldRows(context, facts.rest).filter(([, value]) => value !== '-'),
    ['Try', example && context.commandHint(`svc ${example}`)],
  ];
  return rows.flatMap(([name, value]) => (value ? [[name, String(value)] as const] : []));
}

export function namedValues(fields: object): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
}

export function storageWords({ storedInRussia }: ModelFacts): string {
  if (storedInRussia === undefined) return 'not stated';
  return storedInRussia ? 'in Russia' : 'not in Russia';
}

export function exampleFor(
  { id, type = '', outputs }: ModelFacts,
  catalog: JsonRecord | undefined,
  capability: Capability | undefined,
): string | undefined {
  const word = shellWord(id);
  if (types.embedding.test(type)) return `embed -m ${word} "some text"`;
  if (types.decision.test(type)) {
    return `decide -m ${word} --state "it rains" --yes-no umbrella="Is an umbrella of use?"`;
  }
  if (capability || mediaKinds.some((one) => one === type.toLowerCase())) {
    return `generate ${word} ${takesPromptAlone(capability) ? '"a lighthouse"' : '--help'}`;
  }
  const isText = types.chat.test(type) || outputs.includes('text');
  return catalog || isText ? `chat -m ${word} "Hello"` : undefined;
}

/** Whether a prompt is all that the model requires; otherwise the help lists the rest. */
function takesPromptAlone(capability: Capability | undefined): boolean {
  const [operation, ...others] = capability?.operations ?? [];
  if (!operation || others.length > 0) return false;
  const { anyOf, oneOf, allOf, properties } = operation.schema;
  const { anyOf: sources } = recordOf(recordOf(properties)['opts']);
  const hasChoice = [anyOf, oneOf, allOf, sources].some((branches) => branches !== undefined);
  return !hasChoice && needs(operation.schema, 'prompt') && !needs(operation.schema, 'opts');
}
