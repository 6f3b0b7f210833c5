import { ask, openTools } from '../../chat/ask.js';
import { Conversation } from '../../chat/conversation.js';
import { questionFrom } from '../../chat/question.js';
import { countTokens } from '../../chat/request.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import { openAnswerScreen } from './answer-screen.js';
import type { ChatInput, ChatLine } from './index.js';

export const run = async (context: Context, line: ChatLine): Promise<void> => {
  const { save, template } = line.options;
  if ((save ?? template) !== undefined) {
    return (await import('./template.js')).runTemplate(context, line);
  }
  const [model, ...others] = line.options.model;
  const input = { words: line.args.prompt, options: { ...line.options, model }, frame: line.frame };
  if (others.length > 0) return (await import('./compare.js')).compare(context, input, others);
  if (input.options.interactive)
    return (await import('./run-session.js')).runSession(context, input);
  await askOneModel(context, input);
};

async function askOneModel(context: Context, input: ChatInput): Promise<void> {
  const { options } = input;
  const { shorten: isFitted, search: query } = options;
  const conversation = await Conversation.open(context, options);
  if (isAlone(context, input) && !conversation.isPending) {
    const session = { ...input, options: { ...options, interactive: true } };
    return (await import('./run-session.js')).runSession(context, session);
  }
  const { isPending, last } = conversation;
  const use = await openTools(context, options, last?.tool);
  try {
    if (options.output === '') {
      throw new UsageError('--output needs a file name');
    }
    const before = { last, use, isPending: use !== undefined && isPending };
    const question = await questionFrom(context, input, before);
    const search =
      query === undefined ? undefined : (await import('../../chat/search.js')).prepareSearch(query);
    const client = await context.client();
    if (options.countTokens) {
      const earlier = await conversation.messages('messages');
      const messages = [...earlier, ...(question.question.messages ?? [])];
      const counted = await countTokens(client, { ...question.question, messages });
      const { flags, out } = context;
      // Section 4.10 does not show the reply: an unknown one is printed unchanged.
      if (flags.json || counted.inputTokens === undefined) await out.json(counted.data);
      else await out.line(String(counted.inputTokens));
      return;
    }
    if (isFitted && !client.spending && !context.flags.dryRun) {
      const hint = 'svc chat --max-cost 2 --shorten …';
      throw new UsageError('--shorten needs --max-cost or a budget', { hint });
    }
    const view = await openAnswerScreen(context, options);
    const check = options.askAgain ? 'repair' : 'once';
    await ask(context, client, { ...question, view, search, conversation, isFitted, check });
  } finally {
    await use?.end();
  }
}

/** What a session takes too; other options ask for one answer. */
const ofSession = /^(model|system|format|continue|conversation|search|reasoning|stream|log|cache)$/;

/** Whether nothing is asked, by a person who could be shown a session. */
function isAlone(context: Context, { words, options, frame }: ChatInput): boolean {
  const { flags, out } = context;
  const isPerson = out.isTerminal && context.prompts.canAsk;
  if (words.length > 0 || frame || !isPerson || flags.json || flags.dryRun) return false;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const others = given.filter(([name, value]) => !ofSession.test(name) && String(value) !== '');
  return others.length === 0 && options.stream;
}
