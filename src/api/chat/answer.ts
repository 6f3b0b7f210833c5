/** An answer gathered whole, as far as it fits in memory. */
import { GrowingText } from '../../lib/growing.js';
import type { JsonRecord } from '../../lib/json.js';
import { StreamFault, type AnswerListener, type Usage } from './listener.js';
import { Rest } from './rest.js';

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
  /** What the other fields do not tell, in the shape of a whole reply. */
  readonly rest?: JsonRecord;
}

/** Far more than any model writes: what is kept of an answer must not fill the memory. */
const most = { textBytes: 2 * 1024 * 1024, toolBytes: 1024 * 1024, restBytes: 8 * 1024 * 1024 };
/** Arguments are turned into values, and a call is more than its text. */
const toolWeight = most.textBytes / most.toolBytes;
const callBytes = 128;
const tooMuch = 'it is larger than svc keeps: 2 MiB of text, or 1 MiB of tool calls';
const tooMuchElse = 'it holds more besides its text than svc keeps: 8 MiB';

/**
 * Gathers what it is told into `answer`; texts and the rest only where `keepText` asks for it. The listener
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
    get rest() {
      return rest.reply;
    },
  };
  const rest = new Rest();
  const more = new Rest();
  const calls = new Map<number, ToolCall>();
  let keptBytes = 0;
  const keep = (bytes: number) => {
    if (keptBytes + bytes > most.textBytes) throw new StreamFault(tooMuch, 'answer_too_large');
    keptBytes += bytes;
  };
  const demandRoom = () => {
    if (rest.bytes + more.bytes <= most.restBytes) return;
    throw new StreamFault(tooMuchElse, 'answer_too_large');
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
        const known = Object.entries(usage).filter(
          ([, count]) => (count ?? undefined) !== undefined,
        );
        more.add(Object.fromEntries(known));
        answer.usage = { ...more.reply };
        demandRoom();
      },
      finish: (reason) => {
        answer.finishReason = reason;
      },
      rest: (piece) => {
        if (!options.keepText) return;
        rest.add(piece);
        demandRoom();
      },
      about: ({ id, model }) => {
        if (id) answer.id = id;
        if (model) answer.model = model;
      },
    },
  };
}
