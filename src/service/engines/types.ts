/** What passes between the wire formats and the models, whatever format a call came in. */
import type { ChatFormat } from '../../contract/enums.js';
import type { ServiceFailure } from '../failure.js';

export type Image =
  | { readonly source: 'data'; readonly mediaType: string; readonly bytes: Uint8Array }
  /** An address is never fetched. */
  | { readonly source: 'url'; readonly url: string };

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly image: Image }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; readonly json: string }
  | { readonly type: 'toolResult'; readonly id: string; readonly text: string };

export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
}

export interface Tool {
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly parameters: unknown;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** What form the answer's text must have. */
export type OutputForm =
  | { readonly form: 'text' }
  | { readonly form: 'json' }
  | { readonly form: 'schema'; readonly schema: unknown };

/** How hard to think aloud: `off` and `on` were asked for, `unasked` leaves it to the model. */
export interface Reasoning {
  readonly mode: 'off' | 'on' | 'unasked';
  /** One of the contract's efforts, when the format has them. */
  readonly effort?: string;
  /** Most tokens of reasoning. */
  readonly budgetTokens?: number;
}

/** A chat request, read from any of the three formats. */
export interface Prompt {
  readonly format: ChatFormat;
  readonly model: string;
  readonly stream: boolean;
  /** System prompts, in order. */
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly maxTokens?: number;
  readonly stop: readonly string[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly output: OutputForm;
  readonly reasoning: Reasoning;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolCallBlock {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  /** The arguments, as JSON. */
  readonly json: string;
}

export type Block = TextBlock | ToolCallBlock;

/** How a stream behaves; all of it is only for scripts that imitate slow or broken services. */
export interface Pace {
  /** Graphemes in a delta; words when absent. */
  readonly chunkSize?: number;
  readonly chunkDelayMs?: number;
  /** Breaks off before the end: the line drops, or the body ends without its terminator. */
  readonly cut?: 'drop' | 'end';
  /** An error event in place of the end. */
  readonly failure?: ServiceFailure;
}

/** What a model wants to answer, before any limit of the request is applied. */
export interface Draft {
  readonly reasoning: string;
  readonly blocks: readonly (TextBlock | Omit<ToolCallBlock, 'id'>)[];
  readonly pace: Pace;
}

/** A model. It knows its whole answer before the first word is sent, so it can be priced first. */
export type Engine = (prompt: Prompt, signal: AbortSignal) => Promise<Draft>;

export type FinishReason = 'stop' | 'stopSequence' | 'length' | 'toolCalls';

export interface TokenUsage {
  readonly inputTokens: number;
  /** Reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** An answer within the limits of its request: what is priced, and then sent. */
export interface Plan {
  readonly reasoning: string;
  readonly blocks: readonly Block[];
  readonly finish: FinishReason;
  /** The sequence that ended it, when `finish` is `stopSequence`. */
  readonly stopSequence: string | null;
  readonly usage: TokenUsage;
  readonly pace: Pace;
}

/** A plan in the order it is streamed; every format is written from these. */
export type Event =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string }
  /** Belongs to the tool call before it. */
  | { readonly type: 'toolArguments'; readonly json: string }
  | { readonly type: 'pause'; readonly ms: number }
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly stopSequence: string | null;
    }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'failure'; readonly failure: ServiceFailure }
  | { readonly type: 'cut'; readonly how: 'drop' | 'end' };
