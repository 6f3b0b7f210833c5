/** Named questions, decided from a state (sections 2.8 and 4.2). */
import * as z from 'zod/mini';
import { write } from './endpoint.js';
import * as limits from './limits.js';
import { maybe, notShown, text, number } from './fields.js';

/** Section 2.8: no extra properties; the contents of criteria depend on the type. */
const Question = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('choice'),
    instructions: z.string(),
    criteria: z.record(z.string(), z.string(), {
      error: 'must map each option to its description',
    }),
  }),
  z.strictObject({
    type: z.literal('score'),
    instructions: z.string(),
    criteria: z.array(z.string(), { error: 'must list the levels in their order' }),
  }),
  z.strictObject({
    type: z.literal('noul'),
    instructions: z.string(),
    criteria: z.optional(z.never({ error: 'must be left out for a noul question' })),
  }),
]);

const { min, max } = limits.decisionQuestions;

export const DecisionRequest = z.strictObject({
  model: z.optional(z.string()),
  state: z.union([z.string(), z.looseRecord(z.string(), z.unknown()), z.array(z.unknown())]),
  questions: z.record(z.string(), Question).check(
    z.refine(
      (questions) => {
        const count = Object.keys(questions).length;
        return count >= min && count <= max;
      },
      { error: `must have ${min} to ${max} questions` },
    ),
    z.meta({ minProperties: min, maxProperties: max }),
  ),
});

/** Section 2.8: the fields of an answer depend on the type of its question. */
const DecisionAnswer = z.looseObject({
  choice: notShown(),
  score: notShown(),
  legend: notShown(),
  probabilities: notShown(),
  confidence: notShown(),
  noul: notShown(),
});

export const DecisionReply = z.looseObject({
  object: text,
  model: text,
  answers: z.record(z.string(), DecisionAnswer),
  usage: maybe(z.looseObject({ input_tokens: number, output_tokens: number })),
});

export const createDecisions = write('decisions.create', '/v1/decisions', '4.2', {
  summary: 'Decide named questions from a state',
  body: DecisionRequest,
  returns: DecisionReply,
  statuses: [200, 400, 401, 402, 502, 504],
  paid: 'input',
  statusNotes: {
    400: 'malformed request or unknown decisions model',
    502: 'the decisions service failed',
    504: 'the decisions service timed out',
  },
});
