/** What a first run offers: default models, the cheapest first, and a first answer. */
import { call } from '../../api/call.js';
import { withOneDeadline, type Client } from '../../api/client.js';
import { modelFacts, priceRank, priceWords, type ModelFacts } from '../../api/model-facts.js';
import { entriesIn, fetchMediaCatalog, pricingFacts, withoutChannel } from '../../api/models.js';
import type { Context } from '../../cli/context.js';
import { listModels } from '../../contract/models.js';
import { recordOf } from '../../lib/json.js';
import { cutText } from '../../lib/wrap.js';
import { checkSetting } from '../../state/rules.js';
import { loadSettings } from '../../state/settings.js';
import { chat } from '../chat/index.js';
import { store } from '../config/config.js';

/** The longest time to wait for the lists of models. */
const timeLimitMs = 5000;

/** The models with a price, the cheapest first; a list that fails is left out. */
export async function pricedModels(client: Client): Promise<readonly ModelFacts[]> {
  const deadlineMs = Math.min(client.deadlineMs ?? timeLimitMs, timeLimitMs);
  const hurried = withOneDeadline({ ...client, deadlineMs });
  const factsOf = (entries: readonly unknown[] = []) =>
    entries.map((entry) => modelFacts(recordOf(entry)));
  const lists = [
    call(hurried, listModels, { query: { all: 'true' } }).then(({ data }) => factsOf(data.data)),
    fetchMediaCatalog(hurried).then((data) => factsOf(entriesIn(data)?.entries)),
    pricingFacts(hurried),
  ];
  const found = new Map<string, ModelFacts>();
  for (const listed of await Promise.allSettled(lists)) {
    for (const facts of listed.status === 'fulfilled' ? listed.value : []) {
      const known = found.get(facts.id) ?? facts;
      const { type = facts.type, amounts } = known;
      const priced = amounts.length > 0 ? known : { ...known, amounts: facts.amounts };
      found.set(facts.id, { ...priced, type });
    }
  }
  client.signal.throwIfAborted();
  const isOffered = ({ id, amounts }: ModelFacts) =>
    amounts.length > 0 && 'value' in checkSetting('model', id);
  return [...found.values()].filter(isOffered).sort((one, other) => {
    const [group, rub] = priceRank(one.amounts);
    const [otherGroup, otherRub] = priceRank(other.amounts);
    return group - otherGroup || rub - otherRub;
  });
}

const questions = [
  {
    setting: 'model',
    noun: 'chat',
    fits: ({ type, amounts }: ModelFacts) =>
      type === undefined
        ? amounts.some(({ what, rub }) => what === 'out' && rub > 0)
        : /^(text|chat|llm|language)/i.test(type),
  },
  {
    setting: 'model.image',
    noun: 'images',
    fits: ({ type = '' }: ModelFacts) => /^image/i.test(type),
  },
  {
    setting: 'model.speech',
    noun: 'speech',
    // Audio models may also transcribe or make other sounds.
    fits: ({ type = '', inputs, outputs }: ModelFacts) =>
      /speech|voice|tts/i.test(type) ||
      (type === 'audio' && outputs.includes('audio') && !inputs.includes('audio')),
  },
] as const;

/** Asks for each default model that is not set yet; Esc ends the questions. */
export async function chooseModels(context: Context, models: readonly ModelFacts[]): Promise<void> {
  const { out, prompts } = context;
  const settings = loadSettings(context);
  for (const { setting, noun, fits } of questions) {
    const cheapest = models.filter(fits).slice(0, 5);
    if (settings[setting] !== undefined || cheapest.length === 0) continue;
    const width = Math.max(...cheapest.map(({ id }) => id.length));
    const choices = cheapest.map(({ id, amounts }) => ({
      value: id,
      short: id,
      name: cutText(`${id.padEnd(width)}  ${priceWords(amounts)}`, out.columns - 3),
    }));
    const chosen = await prompts.select({
      message: `Default model for ${noun}`,
      choices: [...choices, { value: '', name: 'none' }],
    });
    if (chosen === undefined) return;
    if (chosen !== '') await store(context, setting, chosen);
  }
}

/** Offers to ask the default model, with its price; a model without a price is not offered. */
export async function firstAnswer(context: Context, models: readonly ModelFacts[]): Promise<void> {
  const { commandHint, flags, out, prompts } = context;
  const model = flags.local ? 'local/guide' : loadSettings(context).model;
  const facts = models.find(({ id }) => model !== undefined && id === withoutChannel(model));
  if (facts) {
    const message = `Ask ${facts.id} (${priceWords(facts.amounts)}; Enter skips):`;
    const question = await prompts.text({ message });
    if (question.trim() !== '') {
      const options = { attach: [], reasoning: true, stream: true };
      await (await chat.load()).run(context, { args: { prompt: [question] }, options });
    }
  }
  out.note(commandHint('Next: svc chat "your question", svc help'));
}
