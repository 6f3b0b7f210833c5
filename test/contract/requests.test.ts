import { SpeechRequest, TranscriptionRequest } from '../../src/contract/audio.js';
import { listUsage } from '../../src/contract/billing.js';
import {
  ChatCompletionRequest,
  CountTokensRequest,
  MessagesRequest,
  ResponsesRequest,
} from '../../src/contract/chat.js';
import { DecisionRequest } from '../../src/contract/decisions.js';
import { EmbeddingRequest } from '../../src/contract/embeddings.js';
import { RegionalSearchRequest, SearchRequest } from '../../src/contract/search.js';
import {
  FeedbackRequest,
  listTickets,
  TicketCreateRequest,
  TicketReplyRequest,
} from '../../src/contract/tickets.js';
import { letters, link, list, numbered, requests } from './requests.js';

const user = { role: 'user', content: 'hi' };
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const noul = { type: 'noul', instructions: 'Is it so?' };
const questions = (count: number) =>
  Object.fromEntries(numbered(count).map((name) => [name, noul]));
const question = (fields: object) => ({ one: { instructions: 'Which?', ...fields } });

requests({
  speech: {
    schema: SpeechRequest,
    base: { model: 'm', input: 'a' },
    takes: {
      input: [letters(10_000), '🌍'.repeat(10_000)],
      speed: [0.25, 4],
      response_format: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
      extra: [1],
    },
    refuses: {
      model: [undefined],
      input: ['', letters(10_001)],
      speed: [0.24, 4.01],
      response_format: ['ogg'],
    },
  },
  'a transcription': {
    schema: TranscriptionRequest,
    base: { model: 'm' },
    takes: { language: ['de', letters(10)] },
    refuses: { model: [undefined], language: ['d', letters(11)] },
  },
  'the usage history': {
    schema: listUsage.query,
    base: {},
    takes: { ...list, dateFrom: ['2026-01-31T00:00:00Z'], dateTo: ['2026-01-31T00:00:00+03:00'] },
    refuses: { page: [0], limit: [0, 101], dateFrom: ['yesterday'] },
  },
  'chat completions': {
    schema: ChatCompletionRequest,
    base: { model: 'vendor/model', messages: [user] },
    takes: {
      model: ['model:alias'],
      temperature: [0, 2],
      max_tokens: [1],
      reasoning_effort: efforts,
      messages: [
        [{ role: 'system' }, { role: 'assistant', content: null }, { role: 'tool' }],
        [{ role: 'user', content: [{ type: 'image_url', image_url: { url: link } }] }],
      ],
      tools: [[{ type: 'function' }]],
      tool_choice: ['auto', { type: 'function' }],
      response_format: [{ type: 'json_object' }],
      seed: [7],
    },
    refuses: {
      model: [undefined],
      messages: [
        undefined,
        [],
        [{ role: 'narrator', content: 'hi' }],
        [{ role: 'user', content: 3 }],
      ],
      temperature: [-0.01, 2.01],
      max_tokens: [1.5],
      stream: ['yes'],
      reasoning_effort: ['huge'],
      response_format: ['json'],
    },
  },
  messages: {
    schema: MessagesRequest,
    base: { model: 'vendor/model', max_tokens: 1, messages: [user] },
    takes: {
      system: ['be brief', [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }]],
      thinking: [{ type: 'enabled', budget_tokens: 1024 }, { type: 'disabled' }],
    },
    refuses: {
      max_tokens: [undefined, 0],
      system: [3],
      thinking: [{ type: 'sometimes' }, { type: 'enabled', budget_tokens: 0.5 }],
    },
  },
  'the token estimate': {
    schema: CountTokensRequest,
    base: { model: 'vendor/model', messages: [user] },
    takes: { system: ['be brief'] },
    refuses: { model: [undefined], messages: [undefined] },
  },
  responses: {
    schema: ResponsesRequest,
    base: { model: 'vendor/model', input: 'hi' },
    takes: {
      input: [[user]],
      reasoning: [
        ...efforts.map((effort) => ({ effort })),
        ...['auto', 'concise', 'detailed'].map((summary) => ({ summary })),
      ],
    },
    refuses: {
      model: [undefined],
      input: [undefined, 3],
      reasoning: [{ effort: 'huge' }, { summary: 'long' }],
    },
  },
  decisions: {
    schema: DecisionRequest,
    base: { state: 'it rains', questions: questions(1) },
    takes: {
      model: ['vendor/model'],
      state: [{ rain: true }, ['rain']],
      questions: [
        questions(20),
        question({ type: 'choice', criteria: { stay: 'at home' } }),
        question({ type: 'score', criteria: ['low', 'high'] }),
      ],
    },
    refuses: {
      extra: [1],
      state: [undefined, 3],
      questions: [
        ...[
          undefined,
          {},
          questions(21),
          { one: { ...noul, extra: 1 } },
          { one: { type: 'noul' } },
        ],
        question({ type: 'guess' }),
        question({ type: 'choice' }),
        question({ type: 'choice', criteria: ['stay'] }),
        question({ type: 'choice', criteria: { stay: 3 } }),
        question({ type: 'score' }),
        question({ type: 'score', criteria: { low: 'little' } }),
        question({ type: 'noul', criteria: ['low'] }),
      ],
    },
  },
  embeddings: {
    schema: EmbeddingRequest,
    base: { model: 'vendor/model', input: 'hi' },
    takes: { input: [['a', 'b']], encoding_format: ['float', 'base64'], dimensions: [3] },
    refuses: { model: [undefined], input: [[1]], encoding_format: ['hex'] },
  },
  'the regional search': {
    schema: RegionalSearchRequest,
    base: { query: 'q' },
    takes: {
      query: [letters(1000), '🌍'.repeat(1000)],
      num: [1, 20],
      region: ['ru', 'global'],
      extra: [1],
    },
    refuses: { query: [undefined, letters(1001)], num: [0, 21], region: ['eu'] },
  },
  search: {
    schema: SearchRequest,
    base: { query: 'q' },
    takes: {
      query: [letters(1000)],
      max_results: [1, 20],
      country: ['de'],
      language: ['EN'],
      mode: ['turbo', 'base', 'pro'],
      extra: [1],
    },
    refuses: {
      query: ['', letters(1001)],
      max_results: [0, 21, 1.5],
      country: ['deu', 'd'],
      language: ['e1'],
      mode: ['slow'],
    },
  },
  'a new ticket': {
    schema: TicketCreateRequest,
    base: { subject: 'abc', message: letters(10) },
    takes: {
      subject: [letters(200)],
      message: [letters(8000)],
      category: [
        ...['api_error', 'performance', 'incorrect_response', 'integration', 'feature_request'],
        ...['other', 'billing', 'account', 'general'],
      ],
      requestIds: [numbered(10), [letters(128)]],
      clientIncidentId: ['0', `A${'._:-'.repeat(24)}123`],
    },
    refuses: {
      extra: [1],
      subject: ['ab', letters(201)],
      message: [letters(9), letters(8001)],
      category: ['praise'],
      requestIds: [numbered(11), ['same', 'same'], [''], [letters(129)]],
      clientIncidentId: ['', '-1', 'a b', letters(101)],
    },
  },
  'a message to a ticket': {
    schema: TicketReplyRequest,
    base: { message: 'a' },
    takes: { message: [letters(8000)] },
    refuses: { message: ['', letters(8001)], extra: [1] },
  },
  'the list of tickets': {
    schema: listTickets.query,
    base: {},
    takes: { limit: list.limit, after: ['cursor'], status: ['open', 'replied', 'closed'] },
    refuses: { limit: [0, 101], status: ['lost'] },
  },
  'a technical report': {
    schema: FeedbackRequest,
    base: { category: 'other', summary: 'abc', details: letters(10) },
    takes: {
      summary: [letters(200)],
      details: [letters(4000)],
      category: ['feature_request'],
      requestIds: [numbered(10)],
      clientIncidentId: ['a:1'],
    },
    refuses: {
      extra: [1],
      category: [undefined, 'billing'],
      summary: ['ab', letters(201)],
      details: [letters(9), letters(4001)],
      requestIds: [numbered(11)],
      clientIncidentId: ['.a'],
    },
  },
});
