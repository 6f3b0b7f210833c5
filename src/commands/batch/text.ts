/** Each question with its answer, for people, as its line arrives. */
import { textOfReply } from '../../api/chat/read.js';
import type { BatchRequest } from '../../batch/request.js';
import type { Context } from '../../context.js';
import { isRecord, listOf, parsedJson, recordOf, textOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { cutText } from '../../lib/wrap.js';

/** Shows the lines of a batch as text. */
export class TextLines {
  /** What has been sent and is not shown yet, by its id. */
  readonly #requests = new Map<string, BatchRequest>();

  constructor(private readonly out: Context['out']) {}

  /** The same, and the question is kept until its answer is here. */
  asking<Answer>(send: (request: BatchRequest) => Answer): typeof send {
    return (request) => {
      this.#requests.set(request.id, request);
      return send(request);
    };
  }

  /** @param lines as OUT has them */
  async add(lines: string): Promise<void> {
    for (const line of lines.split('\n').slice(0, -1)) await this.#show(recordOf(parsedJson(line)));
  }

  async #show(line: Readonly<Record<string, unknown>>): Promise<void> {
    const { out } = this;
    const id = textOf(line['custom_id']) ?? '';
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    const question = `== ${plainText(request ? questionOf(request) : id, 300)} ==`;
    const width = out.isTerminal ? out.columns : Infinity;
    await out.spans([{ text: cutText(question, width), look: 'bold' }]);
    const failure = textOf(recordOf(line['error'])['message']);
    const reply = recordOf(recordOf(line['response'])['body']);
    if (failure !== undefined) await out.line(`error: ${plainText(failure)}`);
    else await this.#answer(reply, request);
    await out.line('');
  }

  async #answer(reply: Readonly<Record<string, unknown>>, request?: BatchRequest): Promise<void> {
    const { out } = this;
    const files = listOf(reply['files']).flatMap((path) => textOf(path) ?? []);
    const format = request?.row.stream;
    const text = format ? textOfReply(reply, format) : files.join('\n');
    if (text === '') return out.jsonLine(reply);
    await out.markdownLines(text);
  }
}

function questionOf({ body, id }: BatchRequest): string {
  const { messages, prompt, input, query, state } = recordOf(parsedJson(body));
  return [messages, prompt, input, query, state].map(wordsIn).find((words) => words !== '') ?? id;
}

/** Of a list the last that has words, such as the question after a system prompt and before its image. */
function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).findLast((words) => words !== '') ?? '';
  return isRecord(value) ? wordsIn(value['content'] ?? value['text']) : (textOf(value) ?? '');
}
