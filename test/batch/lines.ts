/** Lines of OUT, as `svc batch run` writes them. */
import { answerLine, failureLine } from '../../src/batch/outcome.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import { ApiError } from '../../src/errors.js';

export const requestOf = (id: string) => {
  return { id, lineNumber: 1, row: createChatCompletion, model: 'm', body: '{}' };
};

interface Answered {
  readonly ms?: number;
  readonly attempts?: number;
  readonly costRub?: number | undefined;
  readonly usage?: object;
  readonly text?: string;
  readonly generationId?: string;
}

export function answered(id: string, more: Answered = {}): string {
  const { attempts = 1, costRub, generationId, ms = 5, text = 'hello', usage } = more;
  const body = JSON.stringify({ choices: [{ message: { content: text } }], usage });
  const answer = { status: 200, requestId: undefined, generationId, body, costRub, tokens: 0 };
  return answerLine(requestOf(id), answer, { attempts, ms });
}

export function failed(id: string, code = 'bad_request', status = 400): string {
  const error = new ApiError('it cannot be done', { status, serviceCode: code });
  return failureLine(requestOf(id), error, { attempts: 1, ms: 3 });
}
