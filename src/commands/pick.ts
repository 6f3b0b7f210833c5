/** What a line leaves out, chosen by a person among what there is: words first, and random ids last. */
import type { Client } from '../api/client.js';
import { fits, usedKinds, type UsedKind } from '../api/model-facts.js';
import { accountModels } from '../api/models.js';
import { ticketPage } from '../api/tickets.js';
import { listVoices } from '../api/voices.js';
import type { Line } from '../command-line.js';
import type { LiveKind } from '../command.js';
import type { Context } from '../context.js';
import { plainText } from '../lib/plain-text.js';
import { accountFor } from '../state/account.js';
import { withoutWriting } from '../state/database.js';
import { Ledger } from '../state/ledger.js';
import { Log } from '../state/log.js';
import { countCell, priceCell } from './cells.js';
import { kindsOfCommands, lookUp } from './completion/live.js';
import { remember } from './listing.js';
import { factsOf as ticketFacts } from './tickets/threads.js';
import { factsOf as voiceFacts } from './voices/list.js';

type Part = Pick<Line, 'globals' | 'operands' | 'path'>;

/** The chosen name; undefined after Esc, and where nothing is known to choose. */
export async function pick(
  context: Context,
  kind: LiveKind,
  line: Part,
): Promise<string | undefined> {
  const used =
    kind === 'setting' ? kindOfSetting(line.operands[0]) : kindsOfCommands[line.path[0] ?? ''];
  if (kind === 'model' || (kind === 'setting' && used)) {
    return pickModel(context, await context.client(), used);
  }
  if (kind === 'voice' || kind === 'ticket') await listNow(context, kind);
  const found = await lookUp(context, kind, line, '');
  const choices = found.map(({ name, summary = '' }) => {
    const cells = name.length > 16 ? [summary, name] : [name, summary];
    return { value: name, short: name, name: cells.filter((cell) => cell !== '').join('  ') };
  });
  return context.prompts.search({ message: `Which ${names[kind] ?? kind}?`, choices });
}

const names: Partial<Record<LiveKind, string>> = { media: 'kind or model' };

function kindOfSetting(name = ''): UsedKind | undefined {
  const [, kind = 'chat'] = /^model(?:\.(.+))?$/.exec(name) ?? [name, ''];
  return usedKinds.find((one) => one === kind);
}

/** A model with its price and context: those used last come first, then the cheapest. */
export async function pickModel(
  context: Context,
  client: Client,
  kind?: UsedKind,
): Promise<string | undefined> {
  const used = lastUsed(context, client);
  const rank = (id: string) => (used.includes(id) ? used.indexOf(id) : used.length);
  const spinner = await context.out.spinner('listing the models', context.signal);
  const { models: listed } = await accountModels(client).finally(() => spinner.stop());
  const models = listed
    // A name that reads as an option is none.
    .filter((one) => /^\w/.test(one.id) && one.id === plainText(one.id, 200))
    // As in completion: one without a type may be meant for anything.
    .filter((one) => kind === undefined || one.type === undefined || fits(kind, one))
    .toSorted((one, other) => rank(one.id) - rank(other.id));
  // A longer id must not move the prices of the others off the screen.
  const width = Math.min(40, Math.max(0, ...models.map(({ id }) => id.length)));
  const choices = models.map(({ id, amounts, contextTokens }) => {
    const size = contextTokens === undefined ? '' : `  ${countCell(context, contextTokens)} tokens`;
    const name = `${id.padEnd(width)}  ${priceCell(context, amounts)}${size}`;
    return { value: id, short: id, name };
  });
  return context.prompts.search({ message: 'Which model?', choices });
}

const recent = { turns: 50, jobs: 50, events: 300 };

function lastUsed(context: Context, client: Client): readonly string[] {
  const { paths } = context;
  const account = accountFor(context, client);
  const models = withoutWriting(paths, () => [
    ...new Log(paths).turns({}, recent.turns).map(({ model }) => model),
    ...new Ledger(paths, 'jobs', recent.events)
      .newestJobs(account, recent.jobs)
      .flatMap(({ model = [] }) => model),
  ]);
  return [...new Set(models)];
}

async function listNow(context: Context, kind: 'voice' | 'ticket'): Promise<void> {
  const client = await context.client();
  const isVoice = kind === 'voice';
  const rows = isVoice
    ? (await listVoices(client)).voices.map(voiceFacts)
    : (await ticketPage(client, {})).data.map(ticketFacts);
  // Of tickets only the newest are listed.
  await remember(context, client, { kind, rows, isGone: () => isVoice });
}
