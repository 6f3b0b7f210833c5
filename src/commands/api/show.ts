/** Prints an answer: to a pipe byte for byte as it arrives, to a terminal as a person reads it. */
import { StringDecoder } from 'node:string_decoder';
import type { Client } from '../../api/client.js';
import type { requestPath } from '../../api/call.js';
import { idsIn } from '../../api/prepare.js';
import { describeRefusal, refusalError } from '../../api/refusal.js';
import { Incomplete } from '../../errors.js';
import { pipeFile } from '../../http/download/transfer.js';
import { BodyCut, type HttpResponse, type Sink } from '../../http/types.js';
import type { Output } from '../../terminal/types.js';
import type { Row } from './api.js';

export interface ShowOptions {
  readonly out: Output;
  readonly client: Client;
  readonly row: Row;
  /** Whether the status and the headers come before the body. */
  readonly include: boolean | undefined;
  /** How much of the body is given back; enough for the words of a refusal when absent. */
  readonly keepBytes?: number;
}

/** The start of a body that has been printed. */
export interface Shown {
  readonly bytes: Buffer;
  /** There was more. */
  readonly isCutShort: boolean;
}

/**
 * Prints an answer as it arrives.
 * @throws ApiError for one outside 2xx, when it has been printed; Incomplete when it breaks off.
 */
export async function showAnswer(
  response: Awaited<ReturnType<typeof requestPath>>,
  options: ShowOptions,
): Promise<Shown> {
  const { out, client, row, include, keepBytes = 256 * 1024 } = options;
  const { status, headers, isUncertain } = response;
  if (include) await out.text(headText(response));
  const printer = bodyPrinter(out, headers);
  const pieces: Buffer[] = [];
  let length = 0;
  const isFile = row.returns === 'bytes' && status >= 200 && status < 300;
  const take: Sink = (piece) => {
    if (length <= keepBytes) pieces.push(piece);
    length += piece.length;
    return printer.take(piece);
  };
  const piping = isFile ? pipeFile(response, take) : response.pipe(take);
  const broken = await piping.then(() => undefined, brokenOff);
  await printer.end();
  const shown = {
    bytes: Buffer.concat(pieces).subarray(0, keepBytes),
    isCutShort: length > keepBytes,
  };
  if (status < 200 || status >= 300) {
    const { brand, clock } = client;
    const ids = idsIn(headers, brand);
    const refused = { row, ids, brand, nowMs: clock.now(), isUncertain };
    throw refusalError(describeRefusal(response, shown, refused), row);
  }
  if (broken) throw broken;
  return shown;
}

function brokenOff(error: unknown): Incomplete {
  if (error instanceof Incomplete) return error;
  if (!(error instanceof BodyCut)) throw error;
  return new Incomplete(`the answer is incomplete: ${error.message}`, {
    code: `answer_${error.reason.replace('-', '_')}`,
    cause: error,
    hint: 'what came of it stands on stdout',
  });
}

/** JSON up to this size is laid out for a person; nobody reads more of it on a terminal. */
const layOutBytes = 1024 * 1024;

/** What the pieces of a body go to; `end` when there are no more, whole or not. */
interface BodyPrinter {
  readonly take: Sink;
  end(): void | Promise<void>;
}

/** @param headers of the answer, in lower case. */
function bodyPrinter(out: Output, headers: HttpResponse['headers']): BodyPrinter {
  if (!out.isTerminal) return { take: (piece) => out.bytes(piece), end: () => undefined };
  return /\bjson\b/i.test(headers['content-type'] ?? '') ? jsonPrinter(out) : textPrinter(out);
}

/** Text as it arrives; the prompt that follows it stands on a line of its own. */
function textPrinter(out: Output): BodyPrinter {
  const decoder = new StringDecoder('utf8');
  let last = '\n';
  const print = (text: string) => {
    if (text === '') return;
    last = text;
    return out.text(text);
  };
  return {
    take: (piece) => print(decoder.write(piece)),
    end: async () => {
      await print(decoder.end());
      if (!last.endsWith('\n')) await out.text('\n');
    },
  };
}

function jsonPrinter(out: Output): BodyPrinter {
  const plain = textPrinter(out);
  let held: Buffer | undefined = Buffer.alloc(0);
  return {
    take: (piece) => {
      if (!held) return plain.take(piece);
      held = Buffer.concat([held, piece]);
      if (held.length <= layOutBytes) return;
      const all = held;
      held = undefined;
      return plain.take(all);
    },
    end: async () => {
      const value = held && parsed(held);
      if (value) return out.json(value.json);
      if (held) await plain.take(held);
      await plain.end();
    },
  };
}

/** Wrapped, since null is JSON too; undefined when it is none, or too deep to be laid out. */
function parsed(bytes: Buffer): { json: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    JSON.stringify(json);
    return { json };
  } catch {
    return undefined;
  }
}

/** The status line and the headers, as they stand on the wire in HTTP/1.1. */
function headText({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${String(status)}\r\n${lines.join('')}\r\n`;
}
