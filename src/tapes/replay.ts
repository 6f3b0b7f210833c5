/** Plays a recorded answer: with its borders, and if wanted in its time. */
import * as fs from 'node:fs';
import { Incoming } from '../http/incoming.js';
import { AttemptFailed, BodyCut, pieceBytes } from '../http/types.js';
import type { HttpRequest, HttpResponse } from '../http/types.js';
import type { Clock } from '../lib/clock.js';
import { toJson } from '../lib/json.js';
import { answerPath, inFile, type NotedAnswer } from './tape.js';

export interface Player {
  readonly clock: Clock;
  /** 0 plays at once; at 1 head and pieces come when they came. */
  readonly speed: number;
  /** Of the answers that are files. */
  readonly folder: string;
}

/** @throws AttemptFailed where the request is given up before the head; LocalFileError */
export async function play(
  answer: NotedAnswer,
  { url, signal, method }: HttpRequest,
  player: Player,
): Promise<HttpResponse> {
  const { clock } = player;
  const startMs = clock.now();
  const until = async (ms: number) => {
    const leftMs = ms * player.speed - (clock.now() - startMs);
    if (player.speed > 0 && leftMs > 0) await clock.sleep(leftMs, signal);
  };
  const { cut, headers, status } = answer;
  const path = answer.file === undefined ? undefined : answerPath(player.folder, answer.file);
  const pieces = piecesOf(answer, path, until);
  await until(answer.ms).catch((cause: unknown) => {
    throw new AttemptFailed('aborted', true, 'aborted', cause);
  });
  const body = new Incoming({
    host: url.host,
    idleMs: 0,
    signal,
    pieces,
    destroy: () => undefined,
    ended: (error) => {
      if (error !== undefined) return undefined;
      return cut && new BodyCut(cut, `${url.host}: ${cutWords[cut]}`);
    },
  });
  // Made here, so that a tape may be edited by hand.
  const length = method === 'HEAD' || cut ? undefined : lengthOf(answer, path);
  return {
    status,
    headers: { ...headers, ...(length === undefined ? {} : { 'content-length': String(length) }) },
    isReplayed: true,
    pipe: (sink) => body.pipe(sink),
    discard: () => body.discard(),
  };
}

const cutWords = {
  reset: 'the connection dropped during the answer',
  truncated: 'the answer ended early',
  'idle-timeout': 'no data came any more during the answer',
} as const;

/** The length of an answer that is not a stream. @throws LocalFileError where its file is missing */
function lengthOf({ json, pieces, status, text }: NotedAnswer, path: string | undefined) {
  const size = (handle: number) => fs.fstatSync(handle).size;
  const fileBytes = path === undefined ? undefined : inFile(path, size);
  if (pieces || status === 204 || status === 304) return undefined;
  if (fileBytes !== undefined) return fileBytes;
  return Buffer.byteLength(text ?? (json === undefined ? '' : toJson(json)));
}

async function* piecesOf(
  { json, pieces, text }: NotedAnswer,
  path: string | undefined,
  until: (ms: number) => Promise<void>,
): AsyncGenerator<Buffer> {
  const whole = text ?? (json === undefined ? undefined : toJson(json));
  if (whole !== undefined && whole !== '') yield Buffer.from(whole);
  let at = 0;
  for (const [ms, piece] of pieces ?? []) {
    await until(ms);
    if (typeof piece === 'string') yield Buffer.from(piece);
    else if (typeof piece === 'object') yield Buffer.from(piece.base64, 'base64');
    else if (path !== undefined) {
      yield* filePart(path, at, piece);
      at += piece;
    }
  }
  if (!pieces && path !== undefined) yield* filePart(path, 0, Infinity);
}

function* filePart(path: string, from: number, length: number): Generator<Buffer> {
  for (let at = from, isMore = true; isMore && at < from + length;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, from + length - at));
    const read = inFile(path, (handle) => fs.readSync(handle, piece, 0, piece.length, at));
    if (read > 0) yield piece.subarray(0, read);
    at += read;
    isMore = read > 0;
  }
}
