/** Sends a question to a model, or has its tokens counted. */
import { withUnnamed } from '../api/beyond-spec.js';
import { call, request } from '../api/call.js';
import * as wire from '../api/chat/question.js';
import type { ChatCall } from '../api/chat/question.js';
import type { Client } from '../api/client.js';
import { refusesField } from '../api/refusal.js';
import * as rows from '../contract/chat.js';
import { toolChoices, type ChatFormat } from '../contract/enums.js';
import { messagesMaxTokens } from '../contract/limits.js';
import type { HttpResponse } from '../http/types.js';
import { numberOf, recordOf } from '../lib/json.js';

export const bodies = {
  chat: (question: ChatCall) => wire.chatBody(question, true),
  messages: wire.messagesBody,
  responses: wire.responsesBody,
};

export function send(
  client: Client,
  format: ChatFormat,
  question: ChatCall,
): Promise<HttpResponse> {
  if (format === 'messages')
    return request(client, rows.createMessage, { body: wire.messagesBody(question) });
  if (format === 'responses')
    return request(client, rows.createResponse, { body: wire.responsesBody(question) });
  const row = rows.createChatCompletion;
  const sendChat = (asksUsage: boolean) => {
    const body = wire.chatBody(question, asksUsage);
    return request(client, row, { body }).catch((error: unknown) => {
      const { toolChoice: name } = question;
      const isName = name !== undefined && !toolChoices.some((word) => word === name);
      if (!isName || !refusesField(error, /\btool_choice\b/)) throw error;
      // Section 2.3 takes the name of a tool as a string, the public format as an object.
      const choice = { type: 'function', function: { name } };
      return request(client, row, { body: { ...body, tool_choice: choice } });
    });
  };
  return question.stream ? withUnnamed(client, /\bstream_options\b/, sendChat) : sendChat(false);
}

/** With a limit of tokens: an answer as long as the model's context would have to fit a ceiling. */
export function withTokenLimit(question: ChatCall, { spending }: Client): ChatCall {
  const usual = messagesMaxTokens + (question.thinkingBudget ?? 0);
  return { ...question, maxTokens: question.maxTokens ?? (spending && usual) };
}

/** Estimates in the messages format, whatever the format of the request. */
export async function countTokens(client: Client, question: ChatCall) {
  const body = wire.countBody(question);
  const { data } = await call(client, rows.countTokens, { body }).catch((error: unknown) => {
    if (body.tools === undefined || !refusesField(error, /\btools\b/)) throw error;
    // Section 2.4 counts characters, so tools count as text.
    const { system = '', tools, ...others } = body;
    const text = `${system}\n${JSON.stringify(tools)}`;
    return call(client, rows.countTokens, { body: { ...others, system: text } });
  });
  return { data, inputTokens: numberOf(recordOf(data)['input_tokens']) };
}
