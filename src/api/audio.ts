/** Speech and transcription (sections 2.13 and 4.4). Neither is sent twice. */
import type * as z from 'zod/mini';
import { createSpeech, createTranscription } from '../contract/audio.js';
import type { SpeechRequest, Transcription } from '../contract/audio.js';
import { ApiError, Incomplete, type RequestIds } from '../errors.js';
import { multipart } from '../http/request-body.js';
import { pipeFile } from '../http/download/transfer.js';
import { BodyCut } from '../http/types.js';
import type { FilePart, HttpResponse, Sink, StreamedBody } from '../http/types.js';
import { formatBytes } from '../lib/amounts.js';
import { kindBytes, noMedia } from '../lib/file-kind.js';
import { plainText } from '../lib/plain-text.js';
import { call, request } from './call.js';
import type { Client } from './client.js';
import { cutCode, failureError, outcomeHint, mayBeCharged } from './failure.js';
import { idsIn } from './prepare.js';
import { withKey, type OnceKey } from './beyond-spec.js';
import { refusalOf } from './refusal.js';

export type SpeechBody = z.input<typeof SpeechRequest>;

export interface Speech {
  readonly ids: RequestIds;
  readonly contentType: string | undefined;
  /** Call once. @throws Incomplete; what the sink threw; the reason. */
  pipe(sink: Sink): Promise<void>;
  /** Discards the rest and frees the connection. Harmless after `pipe`. */
  discard(): void;
}

export async function speak(client: Client, body: SpeechBody, key: OnceKey): Promise<Speech> {
  const { row, headers } = withKey(createSpeech, key);
  const response = await request(client, row, { body }, { headers });
  const { 'content-type': contentType = '' } = response.headers;
  const { head, rest } = await peeked(response);
  const what = head.length > 0 ? noMedia(head) : undefined;
  if (what !== undefined) {
    const { brand, clock } = client;
    const refused = { row: createSpeech, ids: {}, brand, nowMs: clock.now() };
    const refusal = await refusalOf({ ...response, pipe: rest }, refused);
    response.discard();
    if (!refusal.isForeign) throw refusal;
    // The Content-Type alone proves nothing.
    const label = otherLabel.test(contentType) ? plainText(contentType, 60) : what;
    throw noSound(response, `with ${label} instead of audio`);
  }
  const pipe = async (sink: Sink) => {
    let bytes = 0;
    try {
      await rest((piece) => {
        bytes += piece.length;
        return sink(piece);
      });
    } catch (error) {
      response.discard();
      // An empty body is not audio, even if complete.
      if (bytes > 0 || !(error instanceof Incomplete)) throw cutError(error, bytes);
    }
    if (bytes === 0) throw noSound(response, 'without audio');
  };
  return {
    ids: idsIn(response, client.brand),
    contentType: response.headers['content-type'],
    pipe,
    discard: () => response.discard(),
  };
}

const otherLabel = /^\s*(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i;

/** Reads only the first bytes, to recognise the type; `rest` hands over everything, once. */
async function peeked(response: HttpResponse) {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let to: Sink | undefined;
  let goOn = () => undefined as void;
  const isWanted = new Promise<void>((resolve) => (goOn = resolve));
  let piped: Promise<void> | undefined;
  await new Promise<void>((begun) => {
    piped = pipeFile(response, (piece) => {
      if (to) return to(piece);
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < kindBytes && noMedia(Buffer.concat(pieces)) !== undefined) return;
      begun();
      return isWanted;
    });
    piped.then(begun, begun);
  });
  const rest = async (sink: Sink) => {
    // More may be held in the meantime.
    for (const piece of pieces) await sink(piece);
    to = sink;
    goOn();
    await piped;
  };
  return { head: Buffer.concat(pieces), rest };
}

function noSound({ status }: HttpResponse, what: string): ApiError {
  return new ApiError(`the service answered ${String(status)} ${what}`, {
    status,
    code: 'invalid_reply',
    hint: outcomeHint(createSpeech),
    outcomeUnknown: true,
  });
}

function cutError(error: unknown, bytes: number): unknown {
  if (error instanceof Incomplete) {
    const { hint = '', message } = error;
    return new Incomplete(message, { hint: `${hint}; it ${mayBeCharged}`, cause: error });
  }
  if (!(error instanceof BodyCut) || error.reason === 'aborted') {
    return failureError(error, createSpeech);
  }
  return new Incomplete(`the speech was cut off after ${formatBytes(bytes)}: ${error.message}`, {
    code: cutCode('speech', error),
    hint: `it ${mayBeCharged}`,
    cause: error,
  });
}

/** Its extension matches its content: the service may rely on it. */
export type Recording = Pick<FilePart, 'filename' | 'type'> & {
  readonly content: StreamedBody;
};

export interface TranscriptionResult {
  readonly text: string;
  readonly reply: z.output<typeof Transcription>;
  readonly ids: RequestIds;
}

export async function transcribe(
  client: Client,
  recording: Recording,
  body: { readonly model: string; readonly language?: string },
  key: OnceKey,
): Promise<TranscriptionResult> {
  const { field } = createTranscription.files;
  const payload = multipart(Object.entries(body), [{ ...recording, field }]);
  const { row, headers } = withKey(createTranscription, key);
  const { data, ids } = await call(client, row, { body }, { payload, headers });
  return { text: data.text, reply: data, ids };
}
