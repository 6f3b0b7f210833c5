/** What a first run offers: default models, the cheapest first, and a first answer. */
import { call } from '../../api/call.js';
import { hurried, type Client } from '../../api/client.js';
import { modelFacts, priceRank, type ModelFacts } from '../../api/model-facts.js';
import { entriesIn, fetchMediaCatalog, withoutChannel } from '../../api/models.js';
import type { Context } from '../../context.js';
import { getPricing, listModels } from '../../contract/models.js';
import { recordOf } from '../../lib/json.js';
import { cutText } from '../../lib/wrap.js';
import { checkSetting } from '../../state/rules.js';
import { loadSettings } from '../../state/settings.js';
import { priceCell } from '../cells.js';
import { store } from '../config/config.js';

/** The models with a price, the cheapest first; a list that fails is left out. */
async function pricedModels(client: Client): Promise<readonly ModelFacts[]> {
  const limited = hurried(client, 5000);
  const lists = await Promise.allSettled([
    call(limited, listModels, { query: { all: 'true' } }).then(({ data }) => data.data),
    fetchMediaCatalog(limited).then((data) => entriesIn(data)?.entries ?? []),
    call(limited, getPricing, {}).then(({ data }) => entriesIn(data.data)?.entries ?? []),
  ]);
  client.signal.throwIfAborted();
  const entries = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  const byId = new Map<string, ModelFacts>();
  for (const facts of entries.map((entry) => modelFacts(recordOf(entry)))) {
    const known = byId.get(facts.id) ?? facts;
    const { amounts } = known.amounts.length > 0 ? known : facts;
    byId.set(facts.id, { ...known, amounts, type: known.type ?? facts.type });
  }
  const priced = [...byId.values()].filter(({ amounts }) => amounts.length > 0);
  return priced.sort((one, other) => {
    const [group, rub] = priceRank(one.amounts);
    const [otherGroup, otherRub] = priceRank(other.amounts);
    return group - otherGroup || rub - otherRub;
  });
}

type Offered = (facts: ModelFacts) => boolean;
const ofType = (pattern: RegExp) => (facts: ModelFacts) => pattern.test(facts.type ?? '');
// Models for audio may transcribe, or make other sounds.
const speaks: Offered = ({ type = '', inputs, outputs }) =>
  /speech|voice|tts/i.test(type) ||
  (type === 'audio' && outputs.includes('audio') && !inputs.includes('audio'));

const questions = [
  ['model', 'chat', ofType(/^(text|chat|llm|language)/i)],
  ['model.image', 'images', ofType(/^image/i)],
  ['model.speech', 'speech', speaks],
] as const;

/** Asks for each default model that is not set yet; Esc ends the questions. */
export async function chooseModels(context: Context, client: Client): Promise<void> {
  if (context.flags.local) return;
  const settings = loadSettings(context);
  const open = questions.filter(([setting]) => settings[setting] === undefined);
  const models = open.length === 0 ? [] : await pricedModels(client);
  for (const [setting, noun, isOffered] of open) {
    const fitting = models.filter((facts) => isOffered(facts));
    const cheapest = fitting.filter(({ id }) => 'value' in checkSetting(setting, id)).slice(0, 5);
    if (cheapest.length === 0) continue;
    const width = Math.max(...cheapest.map(({ id }) => id.length));
    const choices = cheapest.map(({ id, amounts }) => {
      const name = `${id.padEnd(width)}  ${priceCell(context, amounts)}`;
      return { value: id, short: id, name: cutText(name, context.out.columns - 3) };
    });
    const chosen = await context.prompts.select({
      message: `Default model for ${noun}`,
      choices: [...choices, { value: '', name: 'none' }],
    });
    if (chosen === undefined) return;
    if (chosen !== '') await store(context, setting, chosen);
  }
}

/** Offers to ask the default model, with its price; without a price it is not offered. */
export async function firstAnswer(context: Context): Promise<void> {
  const model = context.flags.local ? 'local/guide' : loadSettings(context).model;
  if (model === undefined) return;
  const models = await pricedModels(await context.client());
  const facts = models.find(({ id }) => id === withoutChannel(model));
  if (!facts) return;
  const message = `Ask ${model} (${priceCell(context, facts.amounts)}; Enter skips):`;
  const question = await context.prompts.text({ message });
  if (question.trim() === '') return;
  const lists = { model: [model], attach: [], file: [], param: [], tool: [], mcp: [] };
  const options = { ...lists, reasoning: true, stream: true, log: true };
  const chat = await context.program.load(['chat']);
  await chat.run(context, { args: { prompt: [question] }, options });
}
