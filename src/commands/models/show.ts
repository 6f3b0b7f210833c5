import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { capabilityOf, fetchCapabilities, type Capability } from '../../api/media/capabilities.js';
import { modelFacts, type ModelFacts, type Channel, priceWords } from '../../api/model-facts.js';
import { catalogEntries, modelNames } from '../../api/models.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { mediaKinds } from '../../contract/enums.js';
import { getModel, listModels } from '../../contract/models.js';
import { ApiError } from '../../errors.js';
import { isRecord, type JsonRecord, listOf, recordOf } from '../../lib/json.js';
import { shellWord } from '../../lib/names.js';
import { showFields, valueText } from '../fields.js';
import { unknownModel } from '../known-model.js';
import { titles } from '../../terminal/types.js';
import type { show } from './index.js';
import { storageWords } from './lists.js';

/** Shows the card of one model. */
export const run: Handler<typeof show> = async (context, { args }) => {
  const { flags, out } = context;
  const client = await context.client();
  const { data } = await call(client, getModel, { params: { id: args.id } }).catch(
    async (error: unknown) => {
      throw await refusalFor(client, args.id, error);
    },
  );
  // Section 4.10 does not show whether the entry is wrapped.
  const entry = isRecord(data) && isRecord(data['data']) ? data['data'] : data;
  if (!isRecord(data) || !isRecord(entry)) return showFields(context, data);
  const own = modelFacts(entry, args.id);
  const { catalog, capability } = await moreOf(client, own);
  if (flags.json) {
    // Its own fields stand first, and are as they came whatever they are called.
    await out.json({ ...data, catalog, capability: capability?.entry, ...data });
    return;
  }
  const more = catalog ?? capability?.entry;
  const facts = joined(own, more && modelFacts(more, own.id));
  const example = exampleFor(context, facts, { catalog, capability });
  await out.table(titles('FIELD', 'VALUE'), cardRows(facts, example));
};

/** An id that nobody has: the nearest is named. */
async function refusalFor(client: Client, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 404) return error;
  try {
    const [every, named] = await Promise.all([
      call(client, listModels, { query: { all: 'true' } }),
      modelNames(client),
    ]);
    const names = [...every.data.data.map((one) => one.id), ...(named ?? [])];
    return unknownModel(id, names, 'see which there are: `svc models list --all`');
  } catch {
    return error;
  }
}

/** What stands elsewhere of a model. */
interface More {
  /** Its entry in the catalog of text models. */
  readonly catalog: JsonRecord | undefined;
  readonly capability: Capability | undefined;
}

/** The card must not wait for longer than this for what it can do without. */
const patienceMs = 5000;

/** What cannot be had is left out. */
async function moreOf(client: Client, { id, type }: ModelFacts): Promise<More> {
  const hurried: Client = {
    ...client,
    deadlineMs: Math.min(client.deadlineMs ?? patienceMs, patienceMs),
  };
  const isMedia = mediaKinds.some((kind) => kind === type);
  const names = [id, id.split(':')[0]];
  const catalog = isMedia
    ? undefined
    : await catalogEntries(hurried).then(
        (entries) => entries.find((entry) => names.includes(modelFacts(entry).id)),
        () => undefined,
      );
  if (catalog || (type !== undefined && !isMedia)) return { catalog, capability: undefined };
  const models = await fetchCapabilities(hurried).catch(() => []);
  return { catalog, capability: capabilityOf(models, id) };
}

/** The model's own entry, with what it leaves open filled in. */
function joined(own: ModelFacts, more: ModelFacts | undefined): ModelFacts {
  if (!more) return own;
  const pick = <Value>(one: readonly Value[], other: readonly Value[]) =>
    one.length > 0 ? one : other;
  const hasDetail = more.channels.some(({ amounts }) => amounts.length > 0);
  return {
    ...own,
    about: own.about ?? more.about,
    contextTokens: own.contextTokens ?? more.contextTokens,
    inputs: pick(own.inputs, more.inputs),
    outputs: pick(own.outputs, more.outputs),
    amounts: pick(own.amounts, more.amounts),
    channels: hasDetail ? more.channels : pick(own.channels, more.channels),
    storedInRussia: own.storedInRussia ?? more.storedInRussia,
    supports: pick(own.supports, more.supports),
  };
}

/** Rows of a name and a value. */
function cardRows(facts: ModelFacts, example: string | undefined): [string, string][] {
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

/** Undefined when it is not clear what the model is for. */
function exampleFor(
  { commandHint }: Context,
  facts: ModelFacts,
  { catalog, capability }: More,
): string | undefined {
  const id = shellWord(facts.id);
  const type = facts.type?.toLowerCase() ?? '';
  if (type.includes('embed')) return `${commandHint('svc embed')} -m ${id} "some text"`;
  if (type.includes('decision')) {
    return `${commandHint('svc decide')} -m ${id} --state "it rains" --noul umbrella="Is an umbrella of use?"`;
  }
  const isMedia = capability !== undefined || mediaKinds.some((kind) => kind === type);
  if (isMedia)
    return `${commandHint('svc generate')} ${id} ${takesPromptAlone(capability) ? '"a lighthouse"' : '--help'}`;
  const speaks =
    catalog !== undefined ||
    /^(text|chat|llm|language)/.test(type) ||
    facts.outputs.includes('text');
  return speaks ? `${commandHint('svc chat')} -m ${id} "Hello"` : undefined;
}

/** Whether the words of a prompt are all that it must be given; otherwise its help tells the rest. */
function takesPromptAlone(capability: Capability | undefined): boolean {
  const [operation] = capability?.operations ?? [];
  if (!operation || capability?.operations.length !== 1) return false;
  const { required, anyOf, oneOf, allOf, properties } = operation.schema;
  if ([anyOf, oneOf, allOf].some((branches) => branches !== undefined)) return false;
  const needed = listOf(required);
  const opts = recordOf(recordOf(properties)['opts']);
  return needed.includes('prompt') && !needed.includes('opts') && opts['anyOf'] === undefined;
}
