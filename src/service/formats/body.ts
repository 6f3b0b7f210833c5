/** Turns an answer into the body of a reply. */
import type { Clock } from '../../lib/clock.js';
import type { Frame } from './format.js';

/** The line drops in the middle of a body, because a script wants it so. */
class Dropped extends Error {
  override readonly name = 'Dropped';
}

/** As many bytes at once as are ready; nothing ready ever waits for more. */
const mostAtOnce = 16 * 1024;

/**
 * An event stream: every frame leaves as soon as it is due, the reader sets the pace, and the
 * body ends right after the last frame. Cancelling it ends its pauses too.
 */
export function streamBody(
  frames: Iterable<Frame, undefined>,
  clock: Clock,
): ReadableStream<Uint8Array> {
  const iterator: Iterator<Frame, undefined> = frames[Symbol.iterator]();
  const stop = new AbortController();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let ready = '';
        while (ready.length < mostAtOnce) {
          const { value: frame, done } = iterator.next();
          if (done || (frame.type === 'cut' && frame.how === 'end')) {
            if (ready !== '') controller.enqueue(encoder.encode(ready));
            controller.close();
            return;
          }
          if (frame.type === 'text') ready += frame.text;
          else if (ready === '') await play(frame);
          else {
            controller.enqueue(encoder.encode(ready));
            await play(frame);
            return;
          }
        }
        controller.enqueue(encoder.encode(ready));
      },
      cancel() {
        stop.abort(new Dropped('the reader is gone'));
        iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );

  async function play(frame: Exclude<Frame, { type: 'text' }>): Promise<void> {
    if (frame.type === 'cut') throw new Dropped('the script cuts the stream here');
    await clock.sleep(frame.ms, stop.signal);
  }
}

/** The first half of a text, as a script wants it cut: the line drops, or the body just ends. */
export function halfBody(text: string, how: 'drop' | 'end'): ReadableStream<Uint8Array> {
  const half = new TextEncoder().encode(text.slice(0, text.length / 2));
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(half);
        if (how === 'end') controller.close();
      },
      pull(controller) {
        controller.error(new Dropped('the script cuts the answer here'));
      },
    },
    { highWaterMark: 0 },
  );
}
