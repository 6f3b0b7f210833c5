/**
 * Chat in three wire formats (sections 2.2 to 2.5 and 4.1). A question needs one of them: the schemas
 * of the others are not made.
 */
import * as z from 'zod/mini';
import { write } from './endpoint.js';
import { messageRoles, reasoningEfforts, reasoningSummaries, thinkingTypes } from './enums.js';
import * as limits from './limits.js';

/** Section 2.2 names text and image_url; other blocks and fields pass unchanged. */
const ContentBlock = z.looseObject({ type: z.string() });
const MessageContent = z.union([z.string(), z.array(ContentBlock), z.null()]);

const Message = z.looseObject({ role: z.enum(messageRoles), content: z.optional(MessageContent) });

export const Conversation = z.array(Message);

export const System = z.union([z.string(), z.array(ContentBlock)]);

/** The part of a request that people keep: the messages and the system prompt. */
export const KeptConversation = z.looseObject({
  messages: z.optional(Conversation),
  system: z.optional(System),
});

const Model = z.string().check(z.minLength(1));

/** Section 2.3. Fields of the public format beyond the table pass unchanged, so it is loose. */
export const ChatCompletionRequest = z.looseObject({
  model: Model,
  messages: Conversation.check(z.minLength(1)),
  stream: z.optional(z.boolean()),
  max_tokens: z.optional(z.int().check(z.positive())),
  temperature: z.optional(
    z.number().check(z.gte(limits.temperature.min), z.lte(limits.temperature.max)),
  ),
  top_p: z.optional(z.number()),
  reasoning_effort: z.optional(z.enum(reasoningEfforts)),
  tools: z.optional(z.array(z.unknown())),
  tool_choice: z.optional(z.unknown()),
  response_format: z.optional(z.looseObject({})),
});

const ChatUsage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
});

const optionalText = z.optional(z.string());
const head = { id: optionalText, object: optionalText, model: optionalText };

export const ChatCompletion = z.lazy(() =>
  z.looseObject({
    ...head,
    choices: z.array(
      z.looseObject({
        index: z.optional(z.number()),
        message: z.looseObject({}),
        finish_reason: z.optional(z.nullable(z.string())),
      }),
    ),
    usage: z.optional(z.nullable(ChatUsage)),
  }),
);

/** Section 2.4. The message's role is that format's own user or assistant. */
export const MessagesRequest = z.lazy(() =>
  z.looseObject({
    model: Model,
    max_tokens: z.int().check(z.positive()),
    messages: Conversation.check(z.minLength(1)),
    system: z.optional(System),
    stream: z.optional(z.boolean()),
    thinking: z.optional(
      z.looseObject({
        type: z.optional(z.enum(thinkingTypes)),
        budget_tokens: z.optional(z.int().check(z.positive())),
      }),
    ),
  }),
);

export const MessagesReply = z.lazy(() =>
  z.looseObject({
    id: z.optional(z.string()),
    type: z.optional(z.string()),
    role: z.optional(z.string()),
    content: z.array(z.looseObject({ type: z.string() })),
    model: z.optional(z.string()),
    stop_reason: z.optional(z.nullable(z.string())),
    usage: z.optional(
      z.looseObject({
        input_tokens: z.optional(z.number()),
        output_tokens: z.optional(z.number()),
      }),
    ),
  }),
);

export const CountTokensRequest = z.lazy(() =>
  z.looseObject({
    model: Model,
    messages: Conversation.check(z.minLength(1)),
    system: z.optional(System),
  }),
);

/** Section 2.5 does not describe input messages, so they pass unchanged. */
export const ResponsesRequest = z.lazy(() =>
  z.looseObject({
    model: Model,
    input: z.union([z.string(), z.array(z.unknown())]),
    reasoning: z.optional(
      z.looseObject({
        effort: z.optional(z.enum(reasoningEfforts)),
        summary: z.optional(z.enum(reasoningSummaries)),
      }),
    ),
    stream: z.optional(z.boolean()),
  }),
);

export const ResponsesReply = z.lazy(() =>
  z.looseObject({
    ...head,
    output: z.array(z.unknown()),
    usage: z.optional(z.nullable(z.looseObject({}))),
  }),
);

const answers = {
  replyHeaders: { 'x-{brand}-generation-id': 'the id of the usage record' },
  statuses: [200, 401, 402, 429],
  moreStatuses: [404],
  paid: 'answer',
} as const;

export const createChatCompletion = write('chat.create', '/v1/chat/completions', '4.1', {
  summary: 'Answer in the chat completions format',
  body: ChatCompletionRequest,
  returns: ChatCompletion,
  ...answers,
  stream: 'chat',
});

export const createMessage = write('chat.messages', '/v1/messages', '4.1', {
  summary: 'Answer in the messages format',
  auth: 'key',
  body: MessagesRequest,
  returns: MessagesReply,
  ...answers,
  stream: 'messages',
});

export const createResponse = write('chat.responses', '/v1/responses', '4.1', {
  summary: 'Answer in the responses format',
  body: ResponsesRequest,
  returns: ResponsesReply,
  ...answers,
  stream: 'responses',
});

export const countTokens = write('chat.countTokens', '/v1/messages/count_tokens', '4.1', {
  summary: 'Estimate the input tokens of a messages request',
  auth: 'key',
  retry: 'safe',
  body: CountTokensRequest,
  moreStatuses: [404],
});
