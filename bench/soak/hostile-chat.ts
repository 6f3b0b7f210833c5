/** A service whose answers are larger than any memory. */
import { peer } from '../../test/http/rig.js';
import type { ChatFormat } from '../../src/contract/enums.js';

const event = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

const textOf = (format: ChatFormat, text: string) =>
  ({
    chat: { choices: [{ index: 0, delta: { content: text } }] },
    messages: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    responses: { type: 'response.output_text.delta', output_index: 0, delta: text },
  })[format];

const reasoningOf = (format: ChatFormat, text: string) =>
  ({
    chat: { choices: [{ index: 0, delta: { reasoning_content: text } }] },
    messages: { type: 'content_block_delta', index: 0, delta: { thinking: text } },
    responses: { type: 'response.reasoning_text.delta', output_index: 0, delta: text },
  })[format];

const callOf = (format: ChatFormat, index: number) =>
  ({
    chat: {
      choices: [
        {
          delta: {
            tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } }],
          },
        },
      ],
    },
    messages: {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `c${index}`, name: 'f', input: { a: 1 } },
    },
    responses: {
      type: 'response.output_item.done',
      output_index: index,
      item: { type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' },
    },
  })[format];

const replyOf = (format: ChatFormat, text: string) =>
  ({
    chat: { choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }] },
    messages: { content: [{ type: 'text', text }], stop_reason: 'end_turn' },
    responses: {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text }] }],
    },
  })[format];

const many = (make: (nth: number) => Buffer, count = 3000) =>
  Buffer.concat(Array.from({ length: count }, (_, nth) => make(nth)));

/** By name, what comes after the head: the nth piece, or undefined at the end. */
export const answers = {
  'one event of 60 MB': (format) => {
    const piece = event(textOf(format, 'x'.repeat(60_000_000)));
    return (nth) => (nth === 0 ? piece : undefined);
  },
  'one event of 20 million values': (format) => {
    const json = JSON.stringify(textOf(format, 'x')).slice(0, -1);
    const piece = Buffer.from(`data: ${json},"z":[${'{},'.repeat(20_000_000)}0]}\n\n`);
    return (nth) => (nth === 0 ? piece : undefined);
  },
  'an event of endless empty lines': () => {
    const piece = Buffer.from('data:\n'.repeat(10_000));
    return () => piece;
  },
  'a reply of 60 MB': (format) => {
    const piece = Buffer.from(JSON.stringify(replyOf(format, 'x'.repeat(60_000_000))));
    return (nth) => (nth === 0 ? piece : undefined);
  },
  'endless text': (format) => {
    const piece = many((nth) => event(textOf(format, ` слово${nth % 10}`)));
    return () => piece;
  },
  'endless single letters': (format) => {
    const piece = many(() => event(textOf(format, 'x')));
    return () => piece;
  },
  'endless reasoning': (format) => {
    const piece = many((nth) => event(reasoningOf(format, ` word${nth % 10}`)));
    return () => piece;
  },
  'endless tool calls': (format) => (nth) =>
    many((call) => event(callOf(format, nth * 300 + call)), 300),
} satisfies Record<string, (format: ChatFormat) => (nth: number) => Buffer | undefined>;

/** The base URL of a service that gives this answer to whatever is asked. */
export async function hostileChat(name: keyof typeof answers, format: ChatFormat): Promise<string> {
  const { port } = await peer((socket) => {
    socket.once('data', () => {
      socket.resume();
      void (async () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const pieceAt: (nth: number) => Buffer | undefined = answers[name](format);
        for (let nth = 0; !socket.destroyed; nth += 1) {
          const piece = pieceAt(nth);
          if (!piece) break;
          socket.write(`${piece.length.toString(16)}\r\n`);
          socket.write(piece);
          if (!socket.write('\r\n')) {
            await new Promise<void>((resolve) => {
              const go = () => {
                socket.off('drain', go).off('close', go);
                resolve();
              };
              socket.on('drain', go).on('close', go);
            });
          }
        }
        socket.end('0\r\n\r\n');
      })();
    });
  });
  return `http://127.0.0.1:${port}`;
}
