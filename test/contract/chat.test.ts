import {
  ChatCompletionRequest,
  CountTokensRequest,
  MessagesRequest,
  ResponsesRequest,
} from '../../src/contract/chat.js';
import { requests } from './requests.js';

const user = { role: 'user', content: 'hi' };
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const url = 'https://files.example/voice.wav';

requests({
  'chat completions': {
    schema: ChatCompletionRequest,
    base: { model: 'vendor/model', messages: [user] },
    accepted: [
      { model: 'model:alias' },
      { temperature: 0 },
      { temperature: 2 },
      { max_tokens: 1 },
      ...efforts.map((reasoning_effort) => ({ reasoning_effort })),
      { messages: [{ role: 'system' }, { role: 'assistant', content: null }, { role: 'tool' }] },
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
      { tool_choice: 'auto', tools: [{ type: 'function' }] },
      { tool_choice: { type: 'function' } },
      { response_format: { type: 'json_object' } },
      { seed: 7 },
    ],
    refused: [
      { model: undefined },
      { messages: undefined },
      { messages: [] },
      { messages: [{ role: 'narrator', content: 'hi' }] },
      { messages: [{ role: 'user', content: 3 }] },
      { temperature: -0.01 },
      { temperature: 2.01 },
      { max_tokens: 1.5 },
      { stream: 'yes' },
      { reasoning_effort: 'huge' },
      { response_format: 'json' },
    ],
  },
  messages: {
    schema: MessagesRequest,
    base: { model: 'vendor/model', max_tokens: 1, messages: [user] },
    accepted: [
      { system: 'be brief' },
      { system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }] },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      { thinking: { type: 'disabled' } },
    ],
    refused: [
      { max_tokens: undefined },
      { max_tokens: 0 },
      { system: 3 },
      { thinking: { type: 'sometimes' } },
      { thinking: { type: 'enabled', budget_tokens: 0.5 } },
    ],
  },
  'the token estimate': {
    schema: CountTokensRequest,
    base: { model: 'vendor/model', messages: [user] },
    accepted: [{ system: 'be brief' }],
    refused: [{ model: undefined }, { messages: undefined }],
  },
  responses: {
    schema: ResponsesRequest,
    base: { model: 'vendor/model', input: 'hi' },
    accepted: [
      { input: [user] },
      ...efforts.map((effort) => ({ reasoning: { effort } })),
      ...['auto', 'concise', 'detailed'].map((summary) => ({ reasoning: { summary } })),
    ],
    refused: [
      { model: undefined },
      { input: undefined },
      { input: 3 },
      { reasoning: { effort: 'huge' } },
      { reasoning: { summary: 'long' } },
    ],
  },
});
