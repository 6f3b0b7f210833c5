import { withUnnamed } from '../../api/beyond-spec.js';
import { call, request } from '../../api/call.js';
import {
  chatBody,
  countBody,
  messagesBody,
  responsesBody,
  type ChatCall,
} from '../../api/chat/question.js';
import { readAnswer, warmUp } from '../../api/chat/read.js';
import type { Client } from '../../api/client.js';
import { costOf } from '../../api/cost.js';
import { idsIn } from '../../api/prepare.js';
import { refusesField } from '../../api/refusal.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import {
  countTokens,
  createChatCompletion,
  createMessage,
  createResponse,
} from '../../contract/chat.js';
import { toolChoices, type ChatFormat } from '../../contract/enums.js';
import type { HttpResponse } from '../../http/types.js';
import { numberOf, recordOf } from '../../lib/json.js';
import { mayCost } from '../../jobs/cost.js';
import { questionFrom } from './ask.js';
import type { chat } from './index.js';
import { openShow, type End } from './show.js';

/** Asks a model and shows the answer as it arrives. */
export const run: Handler<typeof chat> = async (context, input) => {
  const format = input.options.format ?? 'chat';
  const asks = await questionFrom(context, input, format);
  const { search: query } = input.options;
  const lookUp = query === undefined ? undefined : (await import('./search.js')).lookUp(query);
  const client = await context.client();
  if (input.options.countTokens) return showTokenCount(context, client, asks);
  const show = await openShow(context, input.options);
  await mayCost(context, client, async (paying) => {
    let end: End = { cost: {}, ids: {} };
    try {
      const found = await lookUp?.(context, paying);
      end = { cost: { searchRub: found?.costRub }, ids: {}, found };
      const question = found ? { ...asks, parts: found.before(asks.parts) } : asks;
      const asked = ask(paying, format, question);
      // The request is on its way: what the answer will need is made ready meanwhile.
      warmUp(format);
      const [response] = await Promise.all([asked, show.ready()]);
      const ids = idsIn(response.headers, client.brand);
      const reading = readAnswer(response, format, show.take, show.pace).then(show.flush);
      await reading.catch(() => undefined);
      const cost = show.wantsCost ? await costOf(client, [ids['generation-id']]) : {};
      end = { cost: { ...cost, ...end.cost }, ids, found };
      await reading;
    } catch (error) {
      await show.fail(end, error);
      throw error;
    }
    await show.finish(end);
  });
};

function ask(client: Client, format: ChatFormat, question: ChatCall): Promise<HttpResponse> {
  if (format === 'messages')
    return request(client, createMessage, { body: messagesBody(question) });
  if (format === 'responses') {
    return request(client, createResponse, { body: responsesBody(question) });
  }
  const send = (asksUsage: boolean) => askChat(client, chatBody(question, asksUsage));
  return question.stream ? withUnnamed(client, /\bstream_options\b/, send) : send(false);
}

/** Section 2.3 names a tool by a string; where that is refused, the public format's object does. */
async function askChat(client: Client, body: ReturnType<typeof chatBody>): Promise<HttpResponse> {
  const { tool_choice: choice } = body;
  const send = (changes: object) =>
    request(client, createChatCompletion, { body: { ...body, ...changes } });
  return send({}).catch((error: unknown) => {
    const isName = typeof choice === 'string' && !toolChoices.some((word) => word === choice);
    if (!isName || !refusesField(error, 'tool_choice')) throw error;
    return send({ tool_choice: { type: 'function', function: { name: choice } } });
  });
}

/** The estimate stands in the messages format, whatever format the question is for. */
async function showTokenCount(
  { out, flags }: Context,
  client: Client,
  question: ChatCall,
): Promise<void> {
  const body = countBody(question);
  const { data } = await call(client, countTokens, { body }).catch((error: unknown) => {
    if (body.tools === undefined || !refusesField(error, 'tools')) throw error;
    // Section 2.4 counts characters: those of the tools count as text.
    const { system = '', tools, ...others } = body;
    const text = `${system}\n${JSON.stringify(tools)}`;
    return call(client, countTokens, { body: { ...others, system: text } });
  });
  const inputTokens = numberOf(recordOf(data)['input_tokens']);
  // Section 4.10 does not show the reply: what is not known is printed as it came.
  if (flags.json || inputTokens === undefined) await out.json(data);
  else await out.line(String(inputTokens));
}
