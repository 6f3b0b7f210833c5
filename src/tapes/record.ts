/** Notes exchanges on a tape while they pass, unchanged and no faster than they are read. */
import { BodyCut, type HttpRequest, type HttpResponse, type Transport } from '../http/types.js';
import type { Clock } from '../lib/clock.js';
import { toJson } from '../lib/json.js';
import { keyHeaders, knownSecrets, rememberHeader } from '../lib/redact.js';
import { AnswerNote } from './answer.js';
import { noteRequest } from './request.js';
import type { Exchange, NotedRequest, TapeFile } from './tape.js';

export interface Recorder {
  readonly file: TapeFile;
  readonly clock: Clock;
  /** Told why an exchange is not on the tape; its answer has been passed on. */
  readonly onTrouble: (error: unknown) => void;
}

/** A hostile program may send ever new ones. */
const maxSecrets = 500;

/** How the other side may break off: how a program takes that is worth a tape. */
const cuts = ['reset', 'truncated', 'idle-timeout'] as const;
/** Busy, or failing: svc asks again. */
const repeated = /^(?:408|429|5..)$/;

/**
 * Sends a request and notes the exchange when its answer has ended, or was cut off by the other
 * side. Not kept: what got no answer, what was given up here, and answers of which nothing was
 * read, but for redirects and refusals. @throws what `inner` throws
 */
export async function record(
  recorder: Recorder,
  request: HttpRequest,
  inner: Transport,
  base?: URL,
): Promise<HttpResponse> {
  const isRoom = knownSecrets().length < maxSecrets;
  for (const [name, value] of isRoom ? Object.entries(request.headers) : []) {
    const lower = name.toLowerCase();
    if (keyHeaders.includes(lower) || lower === 'cookie') rememberHeader(lower, value);
  }
  const startMs = recorder.clock.now();
  const sending = inner(request);
  // Meanwhile: it may be a large file.
  const noted = noteRequest(request, base);
  noted.catch(() => undefined);
  const response = await sending;
  return new Recorded(recorder, { request, noted, startMs }, response).response;
}

interface Asked {
  readonly request: HttpRequest;
  readonly noted: Promise<NotedRequest>;
  readonly startMs: number;
}

/** One answer, from its head on. */
class Recorded {
  readonly #note: AnswerNote;
  #isBegun = false;
  /** Its file cannot be written. */
  #isBroken = false;

  constructor(
    private readonly recorder: Recorder,
    private readonly asked: Asked,
    private readonly inner: HttpResponse,
  ) {
    const { clock, file } = recorder;
    this.#note = new AnswerNote(inner, clock.now() - asked.startMs, file.folder);
  }

  get response(): HttpResponse {
    const { inner } = this;
    return {
      ...inner,
      pipe: (sink, memory) => this.#pipe(sink, memory),
      discard: () => {
        const isFinal = inner.status >= 300 && !repeated.test(`${inner.status}`);
        if (!this.#isBegun && isFinal) void this.#end();
        this.#isBegun = true;
        inner.discard();
      },
    };
  }

  readonly #pipe: HttpResponse['pipe'] = async (sink, memory) => {
    this.#isBegun = true;
    const reader = { isDone: false };
    const take = async (piece: Buffer) => {
      this.#take(piece);
      try {
        await sink(piece);
      } catch (error) {
        reader.isDone = true;
        throw error;
      }
    };
    try {
      await this.inner.pipe(take, memory);
    } catch (error) {
      const reason = !reader.isDone && error instanceof BodyCut && error.reason;
      const cut = cuts.find((one) => one === reason);
      // A reader of a stream may know its end, and wait for no more.
      const isGivenUp = this.asked.request.signal?.aborted === true;
      const isEnough = reader.isDone && this.#note.isStream && !isGivenUp;
      if (cut || isEnough) await this.#end(cut);
      else this.#note.drop();
      throw error;
    }
    await this.#end();
  };

  #take(piece: Buffer): void {
    if (this.#isBroken) return;
    try {
      this.#note.take(piece, this.recorder.clock.now() - this.asked.startMs);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Never rejects: the answer may be paid for, whatever becomes of the tape. */
  async #end(cut?: (typeof cuts)[number]): Promise<void> {
    const { asked, recorder } = this;
    if (this.#isBroken) return;
    try {
      const exchange: Exchange = { request: await asked.noted, answer: this.#note.end(cut) };
      recorder.file.append(`${toJson(exchange)}\n`);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    this.#isBroken = true;
    this.#note.drop();
    this.recorder.onTrouble(error);
  }
}
