/** The output items of the responses format: whole, and as the frames that build them up. */
import type { ToolCallBlock } from '../engines/types.js';
import type { Frame } from './format.js';

export type Item = Readonly<Record<string, unknown>>;
type Status = 'completed' | 'incomplete' | 'in_progress';
/** Numbers a frame and names it. */
type Send = (type: string, rest: object) => Frame;

/** Writes one item: its start, any number of pieces, its end; the end gives the whole item. */
export interface ItemWriter {
  start(): Generator<Frame>;
  add(piece: string): Generator<Frame>;
  end(status: 'completed' | 'incomplete'): Generator<Frame, Item>;
}

/** Unique within an answer, and the same in the stream and in the whole. */
function itemId(prefix: string, id: string, index: number): string {
  return `${prefix}_${id}_${index}`;
}

/** @param summary is empty when none was asked for */
export function reasoningItem(id: string, index: number, summary: string): Item {
  return {
    id: itemId('rs', id, index),
    type: 'reasoning',
    summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
  };
}

export function messageItem(id: string, index: number, text: string, status: Status): Item {
  return {
    id: itemId('msg', id, index),
    type: 'message',
    status,
    role: 'assistant',
    content: [textPart(text)],
  };
}

export function callItem(call: Omit<ToolCallBlock, 'type'>, status: Status): Item {
  return {
    id: `fc_${call.id}`,
    type: 'function_call',
    status,
    call_id: `call_${call.id}`,
    name: call.name,
    arguments: call.json,
  };
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

export function reasoningFrames(send: Send, id: string, index: number, shown: boolean): ItemWriter {
  const place = { item_id: itemId('rs', id, index), output_index: index, summary_index: 0 };
  let summary = '';
  const part = () => ({ type: 'summary_text', text: summary });
  return {
    *start() {
      yield send('response.output_item.added', {
        output_index: index,
        item: reasoningItem(id, index, ''),
      });
      if (shown) yield send('response.reasoning_summary_part.added', { ...place, part: part() });
    },
    *add(delta) {
      if (!shown) return;
      summary += delta;
      yield send('response.reasoning_summary_text.delta', { ...place, delta });
    },
    *end() {
      if (shown) {
        yield send('response.reasoning_summary_text.done', { ...place, text: summary });
        yield send('response.reasoning_summary_part.done', { ...place, part: part() });
      }
      const item = reasoningItem(id, index, summary);
      yield send('response.output_item.done', { output_index: index, item });
      return item;
    },
  };
}

export function messageFrames(send: Send, id: string, index: number): ItemWriter {
  const place = { item_id: itemId('msg', id, index), output_index: index, content_index: 0 };
  let text = '';
  return {
    *start() {
      const item = { ...messageItem(id, index, '', 'in_progress'), content: [] };
      yield send('response.output_item.added', { output_index: index, item });
      yield send('response.content_part.added', { ...place, part: textPart('') });
    },
    *add(delta) {
      text += delta;
      yield send('response.output_text.delta', { ...place, delta, logprobs: [] });
    },
    *end(status) {
      yield send('response.output_text.done', { ...place, text, logprobs: [] });
      yield send('response.content_part.done', { ...place, part: textPart(text) });
      const item = messageItem(id, index, text, status);
      yield send('response.output_item.done', { output_index: index, item });
      return item;
    },
  };
}

export function functionCallFrames(
  send: Send,
  call: { readonly id: string; readonly name: string },
  index: number,
): ItemWriter {
  const place = { item_id: `fc_${call.id}`, output_index: index };
  let json = '';
  return {
    *start() {
      const item = callItem({ ...call, json: '' }, 'in_progress');
      yield send('response.output_item.added', { output_index: index, item });
    },
    *add(delta) {
      json += delta;
      yield send('response.function_call_arguments.delta', { ...place, delta });
    },
    *end() {
      yield send('response.function_call_arguments.done', {
        ...place,
        name: call.name,
        arguments: json,
      });
      const item = callItem({ ...call, json }, 'completed');
      yield send('response.output_item.done', { output_index: index, item });
      return item;
    },
  };
}
