import { expect, it } from 'vitest';
import { assertAnswer } from '../../src/api/answered.js';
import * as chat from '../../src/contract/chat.js';
import { createDecisions } from '../../src/contract/decisions.js';
import { createEmbeddings } from '../../src/contract/embeddings.js';
import { quotePrice } from '../../src/contract/media.js';
import { searchWeb } from '../../src/contract/search.js';

const message = (fields: object) => ({ choices: [{ message: { role: 'assistant', ...fields } }] });
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const vector = { embedding: [1, 0] };
const questions = { a: { type: 'noul' }, b: { type: 'noul' } };

const rows = [
  {
    row: chat.createChatCompletion,
    answers: [message({ content: 'yes' }), message({ content: null, tool_calls: [call] })],
    others: [{ choices: [] }, { choices: [{}] }, message({ content: null }), message({})],
  },
  {
    row: chat.createMessage,
    answers: [{ content: [{ type: 'text', text: 'yes' }] }],
    others: [{ content: [] }, { role: 'assistant' }],
  },
  {
    row: chat.createResponse,
    answers: [{ output: [{ type: 'message', content: [{ type: 'output_text', text: 'yes' }] }] }],
    others: [{ output: [] }, { object: 'response' }, { status: 'failed', output: [] }],
  },
  { row: chat.countTokens, answers: [{ input_tokens: 7 }, 7], others: [] },
  {
    row: createEmbeddings,
    body: { input: ['a', 'b'] },
    answers: [{ data: [vector, vector] }],
    others: [{ data: [] }, { data: [vector] }, { data: [vector, { embedding: [] }] }],
  },
  { row: createEmbeddings, body: { input: 'a' }, answers: [{ data: [vector] }], others: [] },
  {
    row: createDecisions,
    body: { questions },
    answers: [{ answers: { a: { noul: 0 }, b: { noul: 1 } } }],
    others: [{ answers: {} }, { answers: { a: { noul: 0 } } }, { answers: { a: {}, b: {} } }],
  },
  { row: searchWeb, answers: [{ results: [] }], others: [{ searched: 1 }] },
  { row: quotePrice, answers: [{ priceRub: 1 }], others: [] },
];

const nothing = [null, {}, []];
const all = rows.flatMap(({ row, body = {}, answers, others }) => [
  ...answers.map((reply) => [row.id, 'an answer', reply, row, body] as const),
  ...[...nothing, ...(row === chat.countTokens ? [] : ['hi']), ...others].map(
    (reply) => [row.id, 'no answer', reply, row, body] as const,
  ),
]);

it.each(all)('to %s, %s is %j', (_id, expected, reply, row, body) => {
  const act = () => assertAnswer(row, JSON.stringify(body), reply);
  const code = expect.stringMatching(/^(invalid_reply|empty_answer|answer_failed)$/);
  if (expected === 'an answer') expect(act).not.toThrow();
  else expect(act).toThrow(expect.objectContaining({ code }));
});
