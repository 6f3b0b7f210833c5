/**
 * The chunks of a body, joined as they arrive: node:http calls back for each of them, which takes
 * more processor time than all else in reading a stream (`npm run bench`).
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

export function joinChunks(wire: ClientRequest): void {
  wire.once('socket', (socket) => {
    // Bun has none: it reads in its own way.
    if (socket.listenerCount('data') > 0) new ChunkJoiner(wire, socket);
  });
}

const headEnd = '\r\n\r\n';
const [cr, lf] = [0x0d, 0x0a];
const lineEndLength = 2;
const nothing = Buffer.alloc(0);
/** A chunk with a longer size is left to the parser. */
const maxSizeDigits = 6;
const values = new Int8Array(256).fill(-1);
for (const digit of '0123456789abcdefABCDEF') values[digit.charCodeAt(0)] = parseInt(digit, 16);
/** The parser refuses it in place of a size. */
const malformed = Buffer.from('!');

/**
 * Stands between the connection and the parser of node:http. It takes only chunks of the plainest
 * form, and only where the parser expects one; everything else the parser reads and judges: the
 * head, extensions, the last chunk and its trailers, whatever is malformed, and all that follows.
 */
class ChunkJoiner {
  readonly #parse: (piece: Buffer) => void;
  #answer: IncomingMessage | undefined;
  /** Whether the parser gets all that arrives. */
  #isParsed = false;
  /** The start of a line that has not arrived whole. */
  #start: Buffer = nothing;
  /** What is missing of a chunk, with the end of its line; 0 between chunks. */
  #missing = 0;

  constructor(
    wire: ClientRequest,
    private readonly socket: Socket,
  ) {
    const listeners = socket.listeners('data');
    this.#parse = (piece) => {
      for (const listener of listeners) Reflect.apply(listener, socket, [piece]);
      if (this.#answer?.complete) socket.off('data', this.#read);
    };
    socket.removeAllListeners('data').on('data', this.#read);
    wire.once('response', (answer) => (this.#answer = answer));
  }

  readonly #read = (piece: Buffer): void => {
    let rest = piece;
    while (!this.#answer && rest.length > 0) rest = this.#afterHead(rest);
    // What the parser has refused ends the connection.
    if (rest.length === 0 || this.socket.destroyed) return;
    if (this.#isParsed) this.#parse(rest);
    else if (this.#answer) this.#join(rest, this.#answer);
  };

  /** Passes a head on alone, so that the parser stops where the body begins. */
  #afterHead(piece: Buffer): Buffer {
    if (this.socket.destroyed) return nothing;
    const length = piece.indexOf(headEnd) + headEnd.length;
    const isWhole = length >= headEnd.length;
    this.#parse(isWhole ? piece.subarray(0, length) : piece);
    const rest = isWhole ? piece.subarray(length) : nothing;
    this.#isParsed = !isWhole || !this.#answer || !isPlain(this.#answer);
    // Bytes after an answer without a body belong to no answer.
    if (this.#answer?.complete && rest.length > 0) this.socket.destroy();
    return rest;
  }

  #join(piece: Buffer, answer: IncomingMessage): void {
    const bytes = this.#start.length > 0 ? Buffer.concat([this.#start, piece]) : piece;
    this.#start = nothing;
    let rest: Buffer | undefined;
    let joined = 0;
    for (let at = 0; at < bytes.length && !rest;) {
      if (this.#missing > lineEndLength) {
        // The data move to the front, into the place of sizes.
        const end = Math.min(at + this.#missing - lineEndLength, bytes.length);
        bytes.copyWithin(joined, at, end);
        joined += end - at;
        this.#missing -= end - at;
        at = end;
      } else if (this.#missing > 0) {
        const isEnd = bytes[at] === (this.#missing === lineEndLength ? cr : lf);
        if (!isEnd) rest = malformed;
        this.#missing -= 1;
        at += 1;
      } else {
        const { size, length } = sizeAt(bytes, at);
        if (size === 0) rest = bytes.subarray(at);
        else if (length === 0) {
          this.#start = bytes.subarray(at);
          break;
        }
        this.#missing = size + lineEndLength;
        at += length;
      }
    }
    if (joined > 0 && !answer.destroyed && !answer.push(bytes.subarray(0, joined))) {
      this.socket.pause();
    }
    if (!rest) return;
    this.#isParsed = true;
    this.#parse(rest);
  }
}

function isPlain({ headers, httpVersion, readableLength }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === 'chunked' && httpVersion === '1.1' && readableLength === 0
  );
}

/** The size of a chunk and the length of its line: 0 until it has arrived, size 0 if it is not plain. */
function sizeAt(bytes: Buffer, at: number): { size: number; length: number } {
  let size = 0;
  let end = at;
  for (; end < at + maxSizeDigits; end += 1) {
    const value = values[bytes[end] ?? 0] ?? -1;
    if (value < 0) break;
    size = size * 16 + value;
  }
  const hasArrived = end + 1 < bytes.length;
  const isPlain = (bytes[end] ?? cr) === cr && (bytes[end + 1] ?? lf) === lf;
  return { size: isPlain ? size : 0, length: hasArrived ? end + lineEndLength - at : 0 };
}
