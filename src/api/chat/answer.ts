/** An answer gathered whole, as far as it fits in memory. */
import { GrowingText } from '../../lib/growing.js';
import { StreamFault, type AnswerListener, type Usage } from './listener.js';

export interface ToolCall {
  id?: string;
  name: string;
  /** As the model wrote them: JSON, unless the answer broke off. */
  arguments: string;
}

export interface Answer {
  id?: string;
  model?: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: ToolCall[];
  usage?: Usage;
  finishReason?: string;
}

/** Far more than any model writes: what is kept of an answer must not fill the memory. */
const most = { textBytes: 3 * 1024 * 1024, toolBytes: 1024 * 1024 };
/** Arguments are turned into values, and a call is more than its text. */
const toolWeight = most.textBytes / most.toolBytes;
const callBytes = 128;
const tooMuch = 'it is larger than svc keeps: 3 MiB of text, or 1 MiB of tool calls';

/**
 * Gathers what it is told into `answer`; text only where `keepText` asks for it. The listener
 * throws StreamFault for what is too much to keep; what came before stays.
 */
export function gather(options: { keepText: boolean }): {
  answer: Answer;
  listener: AnswerListener;
} {
  const texts = { text: new GrowingText(), reasoning: new GrowingText() };
  const answer: Answer = {
    get text() {
      return texts.text.toString();
    },
    get reasoning() {
      return texts.reasoning.toString();
    },
    toolCalls: [],
  };
  const calls = new Map<number, ToolCall>();
  let keptBytes = 0;
  const keep = (bytes: number) => {
    if (keptBytes + bytes > most.textBytes) throw new StreamFault(tooMuch, 'answer_too_large');
    keptBytes += bytes;
  };
  const keepText = (kind: 'text' | 'reasoning') => (piece: string) => {
    if (!options.keepText) return;
    // As it is written in the end, escapes and all.
    keep(Buffer.byteLength(JSON.stringify(piece)) - 2);
    texts[kind].add(piece);
  };
  return {
    answer,
    listener: {
      text: keepText('text'),
      reasoning: keepText('reasoning'),
      tool: ({ index, id, name, arguments: more }) => {
        let call = calls.get(index);
        if (!call) {
          keep(callBytes * toolWeight);
          call = { name: '', arguments: '' };
          calls.set(index, call);
          answer.toolCalls.push(call);
        }
        // Some services repeat id and name on every piece.
        const news = [more, id === call.id ? '' : id, name === call.name ? '' : name];
        keep(Buffer.byteLength(news.join('')) * toolWeight);
        if (id) call.id = id;
        if (name) call.name = name;
        call.arguments += more;
      },
      usage: (usage) => {
        const known = Object.entries(usage).filter(([, count]) => count !== undefined);
        answer.usage = { ...answer.usage, ...Object.fromEntries(known) };
      },
      finish: (reason) => {
        answer.finishReason = reason;
      },
      about: ({ id, model }) => {
        if (id) answer.id = id;
        if (model) answer.model = model;
      },
    },
  };
}
