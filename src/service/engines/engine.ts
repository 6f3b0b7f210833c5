/** The interface between the wire formats and the models. */
import type { ChatFormat } from '../../contract/enums.js';
import type { ServiceRequest } from '../body.js';
import type { ChatModel } from '../catalog.js';
import type { ServiceFailure } from '../failure.js';

interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolCall {
  readonly type: 'toolCall';
  readonly name: string;
  readonly json: string;
}

/** `tool` is what it calls, if the request offers it; a custom tool takes the text in `json`. */
export type Block = TextBlock | (ToolCall & { readonly id: string; readonly tool?: Tool });

/** The ids of past calls are not needed. */
export type Part =
  | TextBlock
  | ToolCall
  /** A sentence that describes an image, or what is not read. */
  | { readonly type: 'attachment'; readonly text: string }
  | { readonly type: 'toolResult'; readonly text: string };

export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
}

export interface Tool {
  readonly name: string;
  readonly parameters: unknown;
  /** What groups it in the responses format; its calls repeat it. */
  readonly namespace?: string;
  /**
   * Absent for a function. A custom tool takes a text; a search makes the client send more tools; a hosted one is not
   * called from here.
   */
  readonly kind?: 'custom' | 'search' | 'hosted';
}

export interface Prompt {
  readonly format: ChatFormat;
  readonly model: string;
  readonly stream: boolean;
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly maxTokens?: number;
  readonly stop: readonly string[];
  readonly tools: readonly Tool[];
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelToolCalls: boolean;
  readonly output: { readonly form: 'text' | 'json' | 'schema'; readonly schema?: unknown };
  /** Reasoning: `off` and `on` were requested, `auto` leaves it to the model. */
  readonly reasoning: {
    readonly mode: 'off' | 'on' | 'auto';
    readonly effort?: string;
    readonly budgetTokens?: number;
  };
}

/** The behaviour of a stream; only scripts use it, to imitate slow or broken services. */
export interface Pace {
  /** Graphemes in a delta; words when absent. */
  readonly chunkSize?: number;
  readonly chunkDelayMs?: number;
  /** Interrupts the stream: the connection drops, or the body ends without its terminator. */
  readonly cut?: 'drop' | 'end';
  readonly failure?: ServiceFailure;
}

export interface AnswerDraft {
  readonly reasoning: string;
  readonly blocks: readonly (TextBlock | ToolCall)[];
  readonly pace: Pace;
}

/** A model. It completes its answer before the first word is sent, so the price is known first. */
export type Engine = (prompt: Prompt, request: ServiceRequest) => Promise<AnswerDraft>;

export type Engines = Readonly<Record<ChatModel['engine'], Engine>>;

/** An answer within the limits of its request, to be priced and then sent. */
export interface Plan {
  /** The reasoning first, if there is any. */
  readonly items: readonly Item[];
  readonly finish: 'stop' | 'stopSequence' | 'length' | 'toolCalls';
  /** The sequence that ended it, when `finish` is `stopSequence`. */
  readonly stopSequence: string | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly reasoningTokens: number;
  };
  readonly pace: Pace;
}

export type Item = Block | { readonly type: 'reasoning'; readonly text: string };

/** The events of a plan in streaming order; every format is written from them. */
export type Event =
  | { readonly type: 'open' | 'close'; readonly item: Item; readonly index: number }
  | { readonly type: 'delta'; readonly item: Item; readonly index: number; readonly text: string }
  | { readonly type: 'start' }
  | { readonly type: 'finish' }
  | { readonly type: 'failure'; readonly failure: ServiceFailure };
