/** Reads an answer beside its way to the program: what it says of tokens, and for the log its text. */
import { Answer } from '../api/chat/answer.js';
import { usageOf, type Piece, type Usage } from '../api/chat/pieces.js';
import { readAnswer } from '../api/chat/read.js';
import { readJson } from '../api/json-reply.js';
import type { Endpoint } from '../contract/endpoint.js';
import { Incomplete } from '../errors.js';
import { BodyCut, type HttpResponse, type ResponseHead, type Sink } from '../http/types.js';
import { isRecord, recordOf, type JsonRecord } from '../lib/json.js';

/** Of an answer that is no chat; a longer one holds media or vectors. */
const maxReplyBytes = 256 * 1024;

/** Its methods never throw: what cannot be read is passed on all the same. */
export class SeenAnswer {
  usage: Usage | undefined;
  /** Undefined where the row has no stream, and where it is too large to keep. */
  answer: Answer | undefined;
  /** A reply that is no chat. */
  reply: JsonRecord | undefined;
  /** Whether its format says that there should be more. */
  isCut = false;
  #sink: Sink | undefined;
  #stop: ((error: Error | undefined) => void) | undefined;
  readonly #read: Promise<void>;

  constructor(row: Endpoint, head: ResponseHead) {
    const stopped = new Promise<void>((resolve, reject) => {
      this.#stop = (error) => (error ? reject(error) : resolve());
    });
    stopped.catch(() => undefined);
    const pipe = (sink: Sink) => {
      this.#sink = sink;
      return stopped;
    };
    const response = { ...head, pipe, discard: () => undefined };
    const { stream } = row;
    if (stream) {
      this.answer = new Answer(true, true, true);
      this.#read = readAnswer(response, stream, this.#take).catch((error: unknown) => {
        this.isCut = error instanceof Incomplete && error.code === 'stream_cut';
      });
    } else {
      const isRead = row.paid && row.returns !== 'bytes';
      this.#read = (isRead ? this.#readReply(response) : stopped).catch(() => undefined);
    }
  }

  /** Takes the next piece, at once. */
  add(piece: Buffer): void {
    try {
      void this.#sink?.(piece);
    } catch (error) {
      this.#sink = undefined;
      this.#stop?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Resolves when what arrived has been read. */
  async end(isWhole: boolean): Promise<void> {
    this.#stop?.(isWhole ? undefined : new BodyCut('truncated', 'the answer broke off'));
    await this.#read;
  }

  readonly #take = (piece: Piece): void => {
    if (piece.type === 'usage') this.usage = { ...this.usage, ...piece.usage };
    try {
      this.answer?.add(piece);
    } catch {
      this.answer = undefined;
    }
  };

  async #readReply(response: HttpResponse): Promise<void> {
    const reply = await readJson(response, { maxBytes: maxReplyBytes });
    if (reply.kind !== 'value' || !isRecord(reply.value)) return;
    this.reply = reply.value;
    // Of vectors it has the names of a chat.
    const isOfChat = 'prompt_tokens' in recordOf(this.reply['usage']);
    const [piece] = usageOf(this.reply, isOfChat ? ['prompt', 'completion'] : undefined);
    if (piece?.type === 'usage') this.usage = piece.usage;
  }
}
