/** The body of an answer that comes over a bulk line. */
import type { IncomingMessage } from 'node:http';
import type { BulkLine } from './bulk-line.js';
import type { BulkSource } from './exchange.js';
import type { Memory } from './types.js';

/**
 * A source that diverts the body where it can: given memory, and a length that is known.
 */
export function bulkSource(
  line: BulkLine,
  answer: IncomingMessage,
  finish: () => void,
): BulkSource {
  let memory: Memory | undefined;
  let isDiverted = false;
  let isHeld = false;
  return {
    useMemory: (given) => {
      memory = given;
    },
    start: (receive) => {
      const length = lengthOf(answer);
      const held = memory && length !== undefined ? line.takeHeld() : undefined;
      if (!memory || length === undefined || held === undefined) {
        answer.on('data', receive);
        line.release();
        return;
      }
      isDiverted = true;
      const first = Buffer.concat([readAll(answer), held]).subarray(0, length);
      line.divert({ memory, length: length - first.length, receive, finish });
      if (first.length > 0) receive(first);
      if (first.length === length) finish();
      else if (!isHeld) line.resumeReading();
    },
    pause: () => {
      isHeld = true;
      if (isDiverted) line.pauseReading();
      else answer.pause();
    },
    resume: () => {
      isHeld = false;
      if (isDiverted) line.resumeReading();
      else answer.resume();
    },
  };
}

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const text = headers['content-length'];
  if (text === undefined || headers['transfer-encoding'] !== undefined) return undefined;
  const length = /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(length) ? length : undefined;
}

/** What came together with the head. */
function readAll(answer: IncomingMessage): Buffer {
  const pieces: Buffer[] = [];
  for (let piece: unknown = answer.read(); Buffer.isBuffer(piece); piece = answer.read()) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
