/** An answer as a tape notes it: gathered while it passes, within bounded memory, without secrets. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { ResponseHead } from '../http/types.js';
import { fileKind, kindBytes } from '../lib/file-kind.js';
import { GrowingBytes } from '../lib/growing.js';
import { parsedJson, toJson } from '../lib/json.js';
import { maxDepth, weigh } from '../lib/json-weight.js';
import { utf8Text } from '../lib/plain-text.js';
import { secretScheme } from '../lib/redact.js';
import { maskSecrets, secretPlaces } from '../lib/secret-places.js';
import type { NotedAnswer, NotedPiece } from './tape.js';

/** More than that goes to a file while it arrives. */
const maxInlineBytes = 1024 * 1024;
/** A stream of more pieces has the rest of them in one. */
const maxPieces = 100_000;
/** What is written of a file at once, and what is held back, since a secret may be cut there. */
const blockBytes = 128 * 1024;
const heldBytes = 8 * 1024;

const text = /^\s*(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|x-www-form-urlencoded)\b|$)/i;
const stream = /^\s*(?:text\/event-stream|application\/(?:x-ndjson|jsonl))\b/i;
/** Of a service, and not of the way to it, which differs each time. */
const kept =
  /^(?:content-(?!length$).*|etag|location|retry-after|request-id|(?:x|openai|anthropic)-.*)$/;

export class AnswerNote {
  readonly isStream: boolean;
  readonly #isText: boolean;
  readonly #borders: [ms: number, bytes: number][] = [];
  #start = new GrowingBytes();
  #file: AnswerFile | undefined;

  constructor(
    private readonly head: ResponseHead,
    private readonly ms: number,
    private readonly folder: string,
  ) {
    const type = head.headers['content-type'] ?? '';
    this.isStream = stream.test(type);
    this.#isText = text.test(type);
  }

  /** @param ms since the request @throws what the file system says */
  take(piece: Buffer, ms: number): void {
    const last = this.#borders.at(-1);
    if (last && this.#borders.length >= maxPieces) last[1] += piece.length;
    else this.#borders.push([ms, piece.length]);
    if (!this.#file && this.#start.length + piece.length > maxInlineBytes) this.#spill();
    if (this.#file) this.#file.take(Buffer.from(piece));
    // A copy: the memory of a piece may be used again.
    else this.#start.add(Buffer.from(piece));
  }

  end(cut: NotedAnswer['cut']): NotedAnswer {
    const { status, headers } = this.head;
    const answer = { status, headers: notedHeaders(headers), ms: this.ms };
    return { ...answer, ...this.#body(), ...(cut ? { cut } : {}) };
  }

  /** It is not kept; harmless after its end. */
  drop(): void {
    this.#file?.drop();
  }

  #body(): Partial<NotedAnswer> {
    const { isStream } = this;
    const bytes = maskSecrets(this.#start.toBuffer(), !this.#isText);
    const whole = this.#file || !this.#isText ? undefined : utf8Text(bytes, { keepsMark: true });
    if (!this.#file && isStream) return { pieces: piecesOf(bytes, this.#borders) };
    if (whole === '' || this.#borders.length === 0) return {};
    if (whole === undefined) {
      if (!this.#file) this.#spill();
      const file = this.#file?.end(this.head.headers['content-type'] ?? '');
      return isStream ? { pieces: this.#borders, file } : { file };
    }
    const isFlat = /^\s*[[{]/.test(whole) && weigh(bytes).depth < maxDepth - 10;
    const json = isFlat ? parsedJson(whole) : undefined;
    return json !== undefined && toJson(json) === whole ? { json } : { text: whole };
  }

  #spill(): void {
    this.#file = new AnswerFile(this.folder, !this.#isText);
    this.#file.take(this.#start.toBuffer());
    this.#start = new GrowingBytes();
  }
}

function piecesOf(bytes: Buffer, borders: readonly (readonly [number, number])[]): NotedPiece[] {
  let at = 0;
  return borders.map(([ms, length]): NotedPiece => {
    const piece = bytes.subarray(at, (at += length));
    return [ms, utf8Text(piece, { keepsMark: true }) ?? { base64: piece.toString('base64') }];
  });
}

function notedHeaders(headers: ResponseHead['headers']): Record<string, string> {
  const noted = Object.entries(headers).filter(
    ([name, value]) => kept.test(name) && secretScheme(name, value) === undefined,
  );
  const masked = (value: string) => maskSecrets(Buffer.from(value, 'latin1')).toString('latin1');
  return Object.fromEntries(noted.map(([name, value]) => [name, masked(value)]));
}

/** An answer beside the tape, under the hash of its bytes. A recording that is killed leaves .part-…. */
class AnswerFile {
  readonly #part: string;
  #handle: number | undefined;
  readonly #sum = createHash('sha256');
  #head = Buffer.alloc(0);
  #held = new GrowingBytes();

  constructor(
    private readonly folder: string,
    private readonly isBinary: boolean,
  ) {
    fs.mkdirSync(folder, { recursive: true });
    this.#part = join(folder, `.part-${crypto.randomUUID()}`);
    this.#handle = fs.openSync(this.#part, 'wx');
  }

  take(piece: Buffer): void {
    this.#held.add(piece);
    if (this.#held.length < blockBytes) return;
    const bytes = this.#held.toBuffer();
    let cut = bytes.length - heldBytes;
    // Not within a secret: its rest alone would not be known as one.
    for (const [start, end] of secretPlaces(bytes, this.isBinary)) {
      if (start < cut && end > cut && start > 0) cut = start;
    }
    this.#write(bytes.subarray(0, cut));
    this.#held = new GrowingBytes();
    this.#held.add(Buffer.from(bytes.subarray(cut)));
  }

  /** @returns its name */
  end(contentType: string): string {
    this.#write(this.#held.toBuffer());
    this.#close();
    const extension =
      fileKind(this.#head, contentType)?.extension ?? (this.isBinary ? 'bin' : 'txt');
    const name = `${this.#sum.digest('hex').slice(0, 16)}.${extension}`;
    fs.renameSync(this.#part, join(this.folder, name));
    return name;
  }

  drop(): void {
    this.#close();
    fs.rmSync(this.#part, { force: true });
  }

  #close(): void {
    // Once: by then its number may be that of another file.
    if (this.#handle !== undefined) fs.closeSync(this.#handle);
    this.#handle = undefined;
  }

  #write(bytes: Buffer): void {
    if (this.#handle === undefined) return;
    const masked = maskSecrets(bytes, this.isBinary);
    if (this.#head.length < kindBytes)
      this.#head = Buffer.concat([this.#head, masked.subarray(0, kindBytes)]);
    this.#sum.update(masked);
    for (let at = 0; at < masked.length;) at += fs.writeSync(this.#handle, masked, at);
  }
}
