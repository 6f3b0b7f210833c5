/** An answer gathered whole. */
import type { AnswerListener, Usage } from './listener.js';

export interface ToolCall {
  id?: string;
  name: string;
  /** As the model wrote them: JSON, unless the answer broke off. */
  arguments: string;
}

export interface Answer {
  id?: string;
  model?: string;
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  usage?: Usage;
  finishReason?: string;
}

/** Gathers what it is told into `answer`; text only where `keepText` asks for it. */
export function gather(options: { keepText: boolean }): {
  answer: Answer;
  listener: AnswerListener;
} {
  const answer: Answer = { text: '', reasoning: '', toolCalls: [] };
  const calls = new Map<number, ToolCall>();
  return {
    answer,
    listener: {
      text: (text) => {
        if (options.keepText) answer.text += text;
      },
      reasoning: (text) => {
        if (options.keepText) answer.reasoning += text;
      },
      tool: (piece) => {
        let call = calls.get(piece.index);
        if (!call) {
          call = { name: '', arguments: '' };
          calls.set(piece.index, call);
          answer.toolCalls.push(call);
        }
        // Some services repeat id and name on every piece.
        if (piece.id) call.id = piece.id;
        if (piece.name) call.name = piece.name;
        call.arguments += piece.arguments;
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
