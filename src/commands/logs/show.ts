/** Shows and exports turns: as Markdown, as JSON, or as the request of a turn. */
import { wireMessages } from '../../api/chat/conversation.js';
import { tokenWords } from '../../chat/answer-json.js';
import { answeredTurns, messagesOf } from '../../chat/logged-turns.js';
import { send } from '../../chat/request.js';
import type { Context, Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { PartFile } from '../../files/part-file.js';
import { formatRub } from '../../lib/amounts.js';
import { durationWords } from '../../lib/duration.js';
import { recordOf, textOf, toJson, type JsonRecord } from '../../lib/json.js';
import { localMoment } from '../../lib/moment.js';
import { plainText } from '../../lib/plain-text.js';
import { localService } from '../../state/account.js';
import { Log, type Turn } from '../../state/log.js';
import { textsIn } from '../../texts/load.js';
import type * as declared from './index.js';
import { fillPrices } from './prices.js';
import { entryOf, textIn, turnJson } from './turns.js';

export const show: Handler<typeof declared.show> = async (context, { args }) => {
  const { flags, out } = context;
  const { log, thread, last, isTurn } = threadOf(context, args.id);
  if (flags.dryRun) return showRequest(context, log, last);
  const turns = await priced(context, log, isTurn ? [last] : thread);
  if (flags.json) {
    const shown = turns.map(async (turn) => {
      return { ...(await turnJson(log, turn)), messages: await messagesOf(log, turn) };
    });
    return out.json(isTurn ? await shown[0] : await Promise.all(shown));
  }
  const sink = await out.markdown();
  await sink.write(await markdown(context, log, turns));
  await sink.end();
};

/** @throws UsageError without turns */
function threadOf({ paths }: Context, name: string) {
  const log = new Log(paths);
  const { at, isTurn } = entryOf(log, name);
  const thread = at === null ? [] : log.thread(at);
  const last = thread.at(-1);
  if (last) return { log, thread, last, isTurn };
  throw new UsageError(`${name} contains no answered turns`, { code: 'not_in_log' });
}

async function priced(context: Context, log: Log, turns: readonly Turn[]): Promise<Turn[]> {
  const conversations = new Set(turns.map(({ conversation }) => conversation));
  for (const conversation of conversations) await fillPrices(context, log, { conversation });
  return turns.flatMap(({ id }) => log.turn(id) ?? []);
}

/** Prints the request of a turn, and sends nothing. */
async function showRequest(context: Context, log: Log, turn: Turn): Promise<void> {
  const { service, model, format } = turn;
  const messagesBefore = (await answeredTurns(log, turn.id)).flatMap(({ messages }) => messages);
  if (turn.answered !== null) messagesBefore.pop();
  const messages = wireMessages(format, messagesBefore);
  const request = { stream: true, ...recordOf(log.content(turn.request)) };
  const baseUrl = new URL(service === localService ? 'http://localhost' : service);
  const { brand } = context.settings();
  // The key is not shown, so any stands for that of the turn.
  const client = await context.client({ as: { baseUrl, key: 'sk-of-this-turn', brand } });
  await send(client, format, { ...request, model, messages, parts: [] });
}

export const exporting: Handler<typeof declared.exporting> = async (context, { args, options }) => {
  const { flags, out, paths } = context;
  const { all, output = '-', force: replace = false, format } = options;
  if ((args.id === undefined) !== (all === true)) {
    throw new UsageError('give an id or --all', { hint: 'svc logs export --help' });
  }
  const log = new Log(paths);
  const isJson = flags.json || format === 'json';
  if (all && !isJson) await fillPrices(context, log, {});
  const every = log.conversations(all ? -1 : 0).filter(({ head }) => head !== null);
  const names = args.id === undefined ? every.map(({ id }) => `c${id}`) : [args.id];
  const texts: string[] = [];
  const values: unknown[] = [];
  for (const { thread, last } of names.map((name) => threadOf(context, name))) {
    const conversation = all && (last.name ?? `c${last.conversation}`);
    if (isJson) {
      values.push({ ...(all && { conversation }), ...(await exported(log, last.id)) });
    } else {
      const turns = all ? thread : await priced(context, log, thread);
      texts.push((all ? `# ${conversation}\n\n` : '') + (await markdown(context, log, turns)));
    }
  }
  const whole = isJson ? `${toJson(all ? values : values[0], 2)}\n` : texts.join('\n');
  if (output === '-') return isJson ? out.jsonText(whole) : out.text(whole);
  const file = await PartFile.open({ kind: 'file', path: output, replace });
  await file.fill({}, (take) => take(Buffer.from(whole)));
  out.note(`wrote ${output}`);
};

/** What `svc chat --history` accepts. */
async function exported(log: Log, at: number): Promise<JsonRecord> {
  const turns = await answeredTurns(log, at);
  const messages = turns.flatMap((turn) => turn.messages);
  const { system } = turns.at(-1)?.settings ?? {};
  return { system, messages: wireMessages('chat', messages) };
}

async function markdown(context: Context, log: Log, turns: readonly Turn[]): Promise<string> {
  const { cost: words } = await textsIn('en');
  const blocks: string[] = [];
  let system = '';
  for (const turn of turns) {
    const messages = await messagesOf(log, turn);
    const answer = turn.answered === null ? undefined : messages.pop();
    const own = textOf(recordOf(log.content(turn.request))['system']) ?? '';
    if (own !== '' && own !== system) blocks.push('## System prompt', own);
    system = own;
    blocks.push('## Question', ...messages.map(textIn));
    blocks.push(`## ${plainText(turn.model, 100)}`, textIn(answer).trimEnd());
    const inputTokens = turn.inputTokens ?? undefined;
    const outputTokens = turn.outputTokens ?? undefined;
    const facts = [
      `${turn.name ?? `c${turn.conversation}`}, turn ${turn.id}`,
      plainText(turn.program ?? ''),
      context.out.isTerminal ? localMoment(turn.atMs) : new Date(turn.atMs).toISOString(),
      ...tokenWords({ inputTokens, outputTokens }, words),
      turn.priceRub === null ? '' : formatRub(turn.priceRub),
      turn.ms === null ? '' : durationWords(turn.ms),
      turn.isComplete ? '' : 'incomplete',
    ];
    blocks.push(`*${facts.filter((fact) => fact !== '').join(' · ')}*`);
  }
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
