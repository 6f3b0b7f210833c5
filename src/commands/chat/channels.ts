/** Where the pieces of an answer go as they arrive; each channel minds its own slow reader. */
import type { AnswerListener, AnswerPieces, SomeListener } from '../../api/chat/listener.js';
import type { FirstCodeBlock } from '../../lib/code-block.js';
import { TextBatch } from '../../terminal/writer.js';
import { sanitiseJson } from '../../terminal/screen.js';
import type { Output } from '../../terminal/types.js';

export interface Channel {
  readonly listener: SomeListener;
  pace(): void | Promise<void>;
  /** Hands over what is left when the answer has ended, whole or not. */
  flush(): Promise<void>;
}

export interface TextChannel extends Channel {
  /** What the text so far ends with; empty when there is none. */
  readonly lastCharacter: string;
  /** Hands over what has come so far, before something else does. */
  send(): void;
}

/** The answer's text, or with `block` only its first fenced code block. */
export function textChannel(
  write: (text: string) => void | Promise<void>,
  block: FirstCodeBlock | undefined,
): TextChannel {
  const batch = new TextBatch(write);
  let lastCharacter = '';
  const add = (text: string) => {
    if (text === '') return;
    lastCharacter = text.slice(-1);
    batch.add(text);
  };
  return {
    get lastCharacter() {
      return lastCharacter;
    },
    listener: {
      text: (text) => {
        add(block ? block.push(text) : text);
      },
    },
    send: () => {
      batch.send();
    },
    pace: () => batch.pace(),
    flush: () => {
      if (block) add(block.end());
      return batch.flush();
    },
  };
}

/** Reasoning for people, apart from the text, but in order with it. */
export function reasoningChannel(out: Output, text: TextChannel | undefined): Channel {
  const batch = new TextBatch((text) => {
    out.aside(text);
  });
  return {
    listener: {
      reasoning: (piece) => {
        text?.send();
        batch.add(piece);
      },
      text: () => {
        batch.send();
      },
    },
    pace: () => undefined,
    flush: () => batch.flush(),
  };
}

export interface EventChannel extends Channel {
  /** The last line: `done`. */
  done(end: Record<string, unknown>): Promise<void>;
}

/** Every event as a line of JSON. */
export function eventChannel(out: Output): EventChannel {
  const batch = new TextBatch((text) => out.text(text));
  const line = (type: string, fields: object) => {
    const json = JSON.stringify(Object.assign({ type }, fields, { type }));
    // Escaped, so that it is the same value on a terminal.
    batch.add(`${out.isTerminal ? sanitiseJson(json) : json}\n`);
  };
  return {
    listener: {
      text: (text) => {
        line('text', { text });
      },
      reasoning: (text) => {
        line('reasoning', { text });
      },
      tool: (piece) => {
        line('tool_call', piece);
      },
      usage: (usage) => {
        line('usage', usage);
      },
      finish: (reason) => {
        line('finish', { reason });
      },
    },
    pace: () => batch.pace(),
    flush: () => batch.flush(),
    done: (end) => {
      line('done', end);
      return batch.flush();
    },
  };
}

/** One listener that tells them all, in order. */
export function tee(listeners: readonly SomeListener[]): AnswerListener {
  const all =
    <Kind extends keyof AnswerPieces>(kind: Kind) =>
    (piece: AnswerPieces[Kind]) => {
      for (const listener of listeners) listener[kind]?.(piece);
    };
  return {
    text: all('text'),
    reasoning: all('reasoning'),
    tool: all('tool'),
    usage: all('usage'),
    finish: all('finish'),
    rest: all('rest'),
    about: all('about'),
  };
}
