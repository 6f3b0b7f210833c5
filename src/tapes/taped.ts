/** A transport with a tape: what passes is recorded, or answered from it. */
import { ApiError, UsageError } from '../errors.js';
import type { HttpRequest, HttpResponse, Transport } from '../http/types.js';
import type { Clock } from '../lib/clock.js';
import { plainText } from '../lib/plain-text.js';
import { record } from './record.js';
import { Recordings } from './recordings.js';
import { play } from './replay.js';
import { noteRequest } from './request.js';
import { TapeFile } from './tape.js';

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
}

/** The tape that the options name. @throws LocalFileError for one that cannot be read or written */
export function openTape(options: TapeOptions, env: TapeEnv): Tape | undefined {
  const path = options.replay ?? options.record;
  const how = '--on-miss record';
  return path === undefined ? undefined : new Tape(new TapeFile(path), options, env, how);
}

/** The tape of svc's own commands: `SVC_TAPE=FILE` plays it, `SVC_TAPE=record:FILE` adds to it. */
export function tapeOfEnv(value: string, env: TapeEnv): Tape {
  const isRecording = value.startsWith('record:');
  const path = isRecording ? value.slice('record:'.length) : value;
  const options = isRecording ? { record: path } : { replay: path };
  if (path !== '') return new Tape(new TapeFile(path), options, env, `SVC_TAPE=record:${path}`);
  throw new UsageError('SVC_TAPE names no file', {
    code: 'bad_setting',
    hint: 'SVC_TAPE=FILE plays a tape, SVC_TAPE=record:FILE records one',
  });
}

export class Tape {
  /** Whether nothing is ever sent: no key, address or network is needed, and no money. */
  readonly isOffline: boolean;
  readonly #recordings: Recordings | undefined;

  constructor(
    private readonly file: TapeFile,
    private readonly options: TapeOptions,
    private readonly env: TapeEnv,
    private readonly howToRecord: string,
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

  /** @throws AttemptFailed; LocalFileError for a damaged tape; ApiError (404) for a miss */
  async send(request: HttpRequest, inner: Transport, base?: URL): Promise<HttpResponse> {
    const { clock, report } = this.env;
    const { file } = this;
    if (this.#recordings) {
      const noted = await noteRequest(request, base);
      const answer = this.#recordings.next(noted);
      const { speed = 0 } = this.options;
      if (answer) return play(answer, request, { clock, speed, folder: file.folder });
      if (this.isOffline) {
        const what = `${request.method} ${plainText(noted.path, 200)} is not on the tape`;
        throw new ApiError(`${what}: ${this.#recordings.difference(noted)}`, {
          ...{ status: 404, code: 'not_on_tape', isForeign: true },
          hint: `to record it: ${this.howToRecord}`,
        });
      }
    }
    return record({ file, clock, onTrouble: report }, request, inner, base);
  }
}
