/** A transport with a tape: what passes is recorded, or answered from it. */
import { ApiError, UsageError } from '../errors.js';
import type { HttpRequest, HttpResponse, Transport } from '../http/types.js';
import type { Clock } from '../lib/clock.js';
import { plainText } from '../lib/plain-text.js';
import { record } from './record.js';
import { Recordings } from './recordings.js';
import { play } from './replay.js';
import { noteRequest } from './request.js';
import { TapeFile, type NotedAnswer } from './tape.js';

/** As the options --record, --replay, --speed and --on-miss say it. */
export interface TapeOptions {
  readonly record?: string | undefined;
  readonly replay?: string | undefined;
  readonly speed?: number | undefined;
  readonly onMiss?: 'fail' | 'record' | undefined;
}

interface TapeEnv {
  readonly clock: Clock;
  /** Told why an exchange could not be recorded, which went on. */
  readonly report: (error: unknown) => void;
  /** Of svc's own commands: a miss is thrown, instead of answered with 404. */
  readonly isOwn?: boolean;
}

/** The tape that the options name. @throws LocalFileError for one that cannot be read or written */
export function openTape(options: TapeOptions, env: TapeEnv): Tape | undefined {
  const path = options.replay ?? options.record;
  return path === undefined ? undefined : new Tape(new TapeFile(path), options, env);
}

/** The tape of svc's own commands: `SVC_TAPE=FILE` plays it, `SVC_TAPE=record:FILE` adds to it. */
export function tapeOfEnv(value: string, { clock, report }: TapeEnv): Tape {
  const isRecording = value.startsWith('record:');
  const path = isRecording ? value.slice('record:'.length) : value;
  const options = isRecording ? { record: path } : { replay: path };
  if (path !== '') return new Tape(new TapeFile(path), options, { clock, report, isOwn: true });
  throw new UsageError('SVC_TAPE names no file', {
    code: 'bad_setting',
    hint: 'SVC_TAPE=FILE plays a tape, SVC_TAPE=record:FILE records one',
  });
}

export class Tape {
  /** Requests that were not on the tape, and were not sent. */
  missed = 0;
  /** Whether nothing is ever sent: no key, address or network is needed, and no money. */
  readonly isOffline: boolean;
  readonly #recordings: Recordings | undefined;

  constructor(
    private readonly file: TapeFile,
    private readonly options: TapeOptions,
    private readonly env: TapeEnv,
  ) {
    const { onMiss, replay } = options;
    this.isOffline = replay !== undefined && onMiss !== 'record';
    if (!this.isOffline) file.begin();
    if (replay !== undefined) this.#recordings = new Recordings(file);
  }

  /** @param base of the service: paths on the tape begin below it */
  over(inner: Transport, base?: URL): Transport {
    return (request) => this.send(request, inner, base);
  }

  /** @throws AttemptFailed; LocalFileError for a damaged tape; for own commands ApiError for a miss */
  async send(request: HttpRequest, inner: Transport, base?: URL): Promise<HttpResponse> {
    const { clock, report } = this.env;
    const { file } = this;
    if (this.#recordings) {
      const noted = await noteRequest(request, base);
      const answer = this.#recordings.next(noted);
      const { folder } = file;
      const { speed = 0 } = this.options;
      if (answer) return play(answer, request, { clock, speed, folder });
      if (this.isOffline) {
        const what = `${request.method} ${plainText(noted.path, 200)} is not on the tape`;
        return this.#miss(request, `${what}: ${this.#recordings.difference(noted)}`);
      }
    }
    return record({ file, clock, onTrouble: report }, request, inner, base);
  }

  #miss(request: HttpRequest, message: string): Promise<HttpResponse> {
    this.missed += 1;
    const code = 'not_on_tape';
    if (this.env.isOwn) {
      const hint = `to record it: SVC_TAPE=record:${this.file.path}`;
      throw new ApiError(message, { status: 404, code, hint, isForeign: true });
    }
    const words = `${message}. To record it: --on-miss record`;
    const error = { message: words, type: 'not_found_error', code, param: null };
    const isMessages = /\/messages(?:$|\/)/.test(request.url.pathname);
    const answer: NotedAnswer = {
      status: 404,
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-should-retry': 'false' },
      ms: 0,
      json: isMessages ? { type: 'error', error: { type: error.type, message: words } } : { error },
    };
    return play(answer, request, { clock: this.env.clock, speed: 0, folder: this.file.folder });
  }
}
