/** Chat in three wire formats: plan the whole answer, price it, take the money, then send it. */
import {
  countTokens,
  createChatCompletion,
  createMessage,
  createResponse,
} from '../contract/chat.js';
import { json, jsonText, type Call } from './call.js';
import { chatModels, priceOf, publicId, type ChatModel, type Resolved } from './catalog.js';
import { charge } from './charge.js';
import { planAnswer } from './engines/plan.js';
import { countPrompt } from './engines/tokens.js';
import type { Plan, Prompt } from './engines/types.js';
import { readChatRequest } from './formats/chat-request.js';
import { chatWriter } from './formats/chat.js';
import { halfBody, streamBody } from './formats/body.js';
import type { Head, Writer } from './formats/format.js';
import { readConversation, readMessagesRequest } from './formats/messages-request.js';
import { messagesWriter } from './formats/messages.js';
import { readResponsesRequest } from './formats/responses-request.js';
import { responsesWriter } from './formats/responses.js';
import { resolveText } from './resolve.js';

/** POST /v1/chat/completions */
export async function answerChat(call: Call): Promise<Response> {
  const { prompt, includeUsage } = readChatRequest(await call.body(createChatCompletion.body));
  return answer(call, prompt, chatWriter(includeUsage));
}

/** POST /v1/messages */
export async function answerMessages(call: Call): Promise<Response> {
  return answer(call, readMessagesRequest(await call.body(createMessage.body)), messagesWriter);
}

/** POST /v1/responses */
export async function answerResponses(call: Call): Promise<Response> {
  const { prompt, ...settings } = readResponsesRequest(await call.body(createResponse.body));
  return answer(call, prompt, responsesWriter(settings));
}

/** POST /v1/messages/count_tokens; the same estimate that a call is priced by. */
export async function estimateTokens(call: Call): Promise<Response> {
  const body = await call.body(countTokens.body);
  await resolveChat(call, body.model);
  return json({ input_tokens: countPrompt(readConversation(body)) });
}

function resolveChat({ house }: Call, name: string): Promise<Resolved<ChatModel>> {
  return resolveText(house, name, chatModels, 'does not chat');
}

async function answer(call: Call, prompt: Prompt, writer: Writer): Promise<Response> {
  const { house, request } = call;
  const resolved = await resolveChat(call, prompt.model);
  const draft = await house.engines[resolved.model.engine](prompt, request.signal);
  const plan = planAnswer(prompt, draft, house.newId);
  const head: Head = {
    id: house.newId(),
    model: publicId(resolved),
    createdAtMs: house.clock.now(),
    requestId: call.requestId,
  };
  const headers = pay(call, resolved, plan, head);
  if (!prompt.stream) return whole(writer, plan, head, headers);
  return new Response(streamBody(writer.stream(plan, head), house.clock), {
    headers: {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    },
  });
}

function whole(
  writer: Writer,
  plan: Plan,
  head: Head,
  headers: Readonly<Record<string, string>>,
): Response {
  const text = JSON.stringify(writer.complete(plan, head));
  const { cut } = plan.pace;
  if (!cut) return jsonText(text, 200, headers);
  return new Response(halfBody(text, cut), {
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  });
}

/** Takes the price of an answer and gives the header of its usage record. */
function pay(call: Call, { model, variant }: Resolved<ChatModel>, plan: Plan, head: Head) {
  const { inputTokens, outputTokens } = plan.usage;
  return charge(call, {
    id: `gen_${head.id}`,
    model: model.id,
    route: `:${variant.alias}`,
    promptTokens: inputTokens,
    completionTokens: outputTokens,
    priceMicroRub: priceOf(variant.price, inputTokens, outputTokens),
    createdAtMs: head.createdAtMs,
  });
}
