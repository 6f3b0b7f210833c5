/** What is an answer: one definition for the commands and for the lines of a batch. */
import type * as z from 'zod/mini';
import { createDecisions, DecisionReply } from '../contract/decisions.js';
import { createEmbeddings, EmbeddingReply } from '../contract/embeddings.js';
import type { Endpoint } from '../contract/endpoint.js';
import { ApiError, Incomplete } from '../errors.js';
import { parsedJson, recordOf } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { assertWholeAnswer } from './chat/read.js';
import { vectorsIn } from './embeddings.js';
import { outcomeHint } from './failure.js';

/**
 * What the specification does not show may have any form, but it is not empty.
 * @param body the JSON text of the request
 * @throws SvcError where the reply, which may have been charged, is not its answer
 */
export function assertAnswer(row: Endpoint, body: string, reply: unknown): void {
  if (row.stream) {
    assertWholeAnswer(reply, row.stream);
    return;
  }
  const isEmpty = typeof reply === 'object' && Object.keys(reply ?? {}).length === 0;
  const fits = row.returns === 'bytes' || row.returns.safeParse(reply).success;
  if (isEmpty || !fits) {
    throw new ApiError('the service answered with JSON of an unexpected shape', {
      status: row.statuses[0],
      code: 'invalid_reply',
      hint: outcomeHint(row),
      outcomeUnknown: true,
    });
  }
  const { input, questions } = recordOf(parsedJson(body));
  if (row.id === createEmbeddings.id) {
    vectorsIn(EmbeddingReply.parse(reply), Array.isArray(input) ? input.length : 1);
  } else if (row.id === createDecisions.id) {
    assertDecided(recordOf(questions), DecisionReply.parse(reply));
  }
}

type Decided = z.output<typeof DecisionReply>;

/** @throws Incomplete where a question has no answer; the fields of an answer are not certain */
export function assertDecided(questions: object, { answers }: Decided): void {
  const open = Object.keys(questions).filter((name) => {
    const answer = Object.hasOwn(answers, name) ? answers[name] : {};
    return Object.values(answer ?? {}).every((value) => (value ?? null) === null);
  });
  if (open.length === 0) return;
  const names = plainText(open.map((name) => JSON.stringify(name)).join(', '), 200);
  throw new Incomplete(`the service returned no answer to ${names}`, {
    code: 'invalid_reply',
    hint: 'it was charged anyway: `svc usage list`',
  });
}
