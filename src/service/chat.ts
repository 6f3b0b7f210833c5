/** Chat in three wire formats: plan the whole answer, price it, charge for it, then send it. */
// The formats load with their first request.
import { countTokens, createChatCompletion, createMessage } from '../contract/chat.js';
import { createResponse } from '../contract/chat.js';
import { json, type Call, type Reply } from './call.js';
import { chatModels, publicId, type ChatModel, type ModelRoute } from './catalog.js';
import type { Prompt } from './engines/engine.js';
import { planAnswer } from './engines/plan.js';
import { countPrompt } from './engines/prompts.js';
import { halfBody, streamBody, type AnswerHead, type Writer } from './formats/format.js';
import { chargeTokens, resolveText } from './models.js';
import { toJson } from '../lib/json.js';

export async function answerChat(call: Call): Promise<Reply> {
  const { chatWriter, readChatRequest } = await import('./formats/chat.js');
  const { prompt, includeUsage } = readChatRequest(await call.body(createChatCompletion.body));
  return answer(call, prompt, chatWriter(includeUsage));
}

export async function answerMessages(call: Call): Promise<Reply> {
  const { messagesWriter, readMessagesRequest } = await import('./formats/messages.js');
  return answer(call, readMessagesRequest(await call.body(createMessage.body)), messagesWriter);
}

export async function answerResponses(call: Call): Promise<Reply> {
  const { readResponsesRequest, responsesWriter } = await import('./formats/responses.js');
  const { prompt, ...settings } = readResponsesRequest(await call.body(createResponse.body));
  return answer(call, prompt, responsesWriter(settings));
}

/** POST /v1/messages/count_tokens; the estimate that a call is priced by. */
export async function estimateTokens(call: Call): Promise<Reply> {
  const { readConversation } = await import('./formats/messages.js');
  const body = await call.body(countTokens.body);
  await resolveChat(call, body.model);
  return json({ input_tokens: countPrompt(readConversation(body)) });
}

function resolveChat(call: Call, name: string): Promise<ModelRoute<ChatModel>> {
  return resolveText(call, name, chatModels, { cannot: 'is not a chat model' });
}

async function answer(call: Call, prompt: Prompt, writer: Writer): Promise<Reply> {
  const { app, request } = call;
  const resolved = await resolveChat(call, prompt.model);
  const draft = await app.engines[resolved.model.engine](prompt, request);
  const plan = planAnswer(prompt, draft, app.newId);
  const head: AnswerHead = {
    id: app.newId(),
    model: publicId(resolved),
    createdAtMs: app.clock.now(),
    requestId: call.requestId,
  };
  await chargeTokens(call, resolved, plan.usage, head.id);
  if (prompt.stream) {
    const type = 'text/event-stream; charset=utf-8';
    const headers = { 'content-type': type, 'cache-control': 'no-cache' };
    return { status: 200, headers, body: streamBody(plan, writer.stream(plan, head), app.clock) };
  }
  const answer = writer.complete(plan, head);
  const { cut } = plan.pace;
  if (!cut) return json(answer);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: halfBody(toJson(answer), cut) };
}
