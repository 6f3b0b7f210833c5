/** What a first run offers: default models, the cheapest first, and a first answer. */
import type { Client } from '../../api/client.js';
import { fits, usedKinds, type ModelFacts, type UsedKind } from '../../api/model-facts.js';
import { accountModels, withoutChannel } from '../../api/models.js';
import type { Context } from '../../context.js';
import { defaultModel, settingOf } from '../../jobs/known-model.js';
import { checkSetting, type SettingName } from '../../state/rules.js';
import { loadSettings } from '../../state/settings.js';
import { textsIn } from '../../texts/load.js';
import { priceCell } from '../cells.js';
import { rememberModels } from '../listing.js';
import { store } from '../config/config.js';

/** A kind that needs a default model. */
interface Choice {
  readonly setting: SettingName;
  readonly kind: UsedKind;
  /** The one that is set, then the cheapest. */
  readonly models: readonly [ModelFacts, ...ModelFacts[]];
}

/** The kinds with several models: one alone needs no default. @param isAgain also where one is set */
export async function openChoices(
  context: Context,
  client: Client,
  isAgain = false,
): Promise<Choice[]> {
  const settings = loadSettings(context);
  const open = usedKinds.filter((kind) => isAgain || settings[settingOf(kind)] === undefined);
  const { models } = open.length === 0 ? { models: [] } : await accountModels(client);
  if (models.length > 0) await rememberModels(context, client, models);
  return open.flatMap((kind) => {
    const setting = settingOf(kind);
    const fitting = models.filter(
      (one) => fits(kind, one) && 'value' in checkSetting(setting, one.id),
    );
    const isSet = ({ id }: ModelFacts) => id === settings[setting];
    // What takes its own kind alone, as an upscaler does, cannot make the first one.
    const changes = ({ inputs }: ModelFacts) => Number(inputs.some((one) => one === kind));
    const priced = fitting
      .filter((one) => one.amounts.length > 0 && !isSet(one))
      .toSorted((one, other) => changes(one) - changes(other));
    const [first, ...others] = [...fitting.filter(isSet), ...priced];
    // One that is gone has to be replaced, even by the only other.
    const needsNone = settings[setting] === undefined || (first && isSet(first));
    if (!first || (fitting.length === 1 && needsNone)) return [];
    return [{ setting, kind, models: [first, ...others] as const }];
  });
}

/** Asks for the default models: for chat, then for the other kinds together; Esc ends the questions. */
export async function chooseModels(context: Context, client: Client, isAgain = false) {
  if (context.flags.local) return;
  const open = await openChoices(context, client, isAgain);
  const others = open.filter(({ setting }) => setting !== 'model');
  const asked = others.length > 1 ? open.filter((one) => !others.includes(one)) : open;
  for (const choice of asked) if (!(await chooseModel(context, choice))) return;
  if (asked.length === open.length) return;
  const { login, prices } = await textsIn(context.out.language);
  const texts = login.models;
  const width = Math.max(...others.map(({ kind }) => texts.kind(kind).length));
  for (const { kind, models } of others) {
    const [{ id, amounts }] = models;
    const price = priceCell(context, amounts, prices);
    context.out.note(`  ${texts.kind(kind).padEnd(width)}  ${id}  ${price}`);
  }
  const choices = (['these', 'each', 'none'] as const).map((value) => {
    return { value, name: texts.others[value] };
  });
  const how = await context.prompts.select({ message: texts.othersQuestion, choices });
  for (const choice of others) {
    if (how === 'these') await store(context, choice.setting, choice.models[0].id);
    else if (how !== 'each' || !(await chooseModel(context, choice))) return;
  }
}

/** @returns false after Esc */
async function chooseModel(context: Context, { setting, kind, models }: Choice): Promise<boolean> {
  const { login, prices } = await textsIn(context.out.language);
  const offered = models.slice(0, 5);
  const width = Math.max(...offered.map(({ id }) => id.length));
  const choices = offered.map(({ id, amounts }) => {
    const price = priceCell(context, amounts, prices);
    return { value: id, short: id, name: `${id.padEnd(width)}  ${price}` };
  });
  const message = login.models.questionFor(kind);
  const none = { value: '', name: login.models.none };
  const chosen = await context.prompts.select({ message, choices: [...choices, none] });
  if (chosen) await store(context, setting, chosen);
  return chosen !== undefined;
}

/** Offers to ask the default model, with its price; without a price it is not offered. */
export async function firstAnswer(context: Context): Promise<void> {
  if (!context.prompts.canAsk) return;
  const model = await defaultModel(context, 'chat', loadSettings(context));
  if (model === undefined) return;
  const { models } = await accountModels(await context.client());
  const facts = models.find(({ id }) => id === withoutChannel(model));
  if (!facts || facts.amounts.length === 0) return;
  const { login, prices } = await textsIn(context.out.language);
  const message = login.models.ask(model, priceCell(context, facts.amounts, prices));
  const question = await context.prompts.text({ message });
  if (question.trim() === '') return;
  const lists = { model: [model], attach: [], file: [], param: [], tool: [], mcp: [] };
  const options = { ...lists, reasoning: true, stream: true, log: true };
  const chat = await context.program.load(['chat']);
  await chat.run(context, { args: { prompt: [question] }, options });
}
