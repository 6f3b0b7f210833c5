/** Reads a form with files (multipart/form-data) piece by piece; nothing is held whole. */
import { bodyPieces, type ServiceRequest } from './body.js';
import { badRequest } from './failure.js';

export interface FormPart {
  readonly name: string;
  /** What the sender calls the file; absent when the part is none. */
  readonly fileName?: string;
  /** Read once, and before the next part is asked for; what is left unread is skipped. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const longestHead = 16 * 1024;
const mostParts = 100;
const lineEnd = '\r\n';

/** The parts of a form, in order. */
export async function* formParts(
  request: ServiceRequest,
  maxBytes: number,
): AsyncGenerator<FormPart> {
  const boundary = boundaryOf(request.headers.get('content-type') ?? '');
  if (boundary === undefined || !request.body) {
    throw badRequest('the request body must be a form with files: multipart/form-data');
  }
  const form = new Form(bodyPieces(request, maxBytes), `${lineEnd}--${boundary}`);
  try {
    await form.skipPart();
    for (let count = 0; !(await form.isOver()); count += 1) {
      if (count === mostParts) throw badRequest(`the form has more than ${mostParts} parts`);
      const head = await form.head();
      yield { ...head, bytes: form.part() };
      await form.skipPart();
    }
  } finally {
    await form.giveUp();
  }
}

function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return found?.[1] ?? found?.[2];
}

/** A place in the body, and what was read beyond it. */
class Form {
  // The first delimiter may stand at the very start, without a line end before it.
  #held: Buffer = Buffer.from(lineEnd);
  // What precedes the first delimiter is skipped like a part.
  #inPart = true;
  readonly #delimiter: Buffer;

  constructor(
    private readonly chunks: AsyncGenerator<Uint8Array>,
    delimiter: string,
  ) {
    this.#delimiter = Buffer.from(delimiter, 'latin1');
  }

  async isOver(): Promise<boolean> {
    while (this.#held.length < 2) await this.#more();
    return this.#held.toString('latin1', 0, 2) === '--';
  }

  async head(): Promise<Omit<FormPart, 'bytes'>> {
    const end = lineEnd + lineEnd;
    let at = this.#held.indexOf(end);
    while (at < 0) {
      if (this.#held.length > longestHead) throw badRequest('the head of a form part is too long');
      await this.#more();
      at = this.#held.indexOf(end);
    }
    const text = this.#held.toString('utf8', 0, at);
    this.#held = this.#held.subarray(at + end.length);
    this.#inPart = true;
    const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(text)?.[1] ?? '';
    const name = parameter(disposition, 'name');
    if (name === undefined) throw badRequest('a form part has no name');
    return { name, fileName: parameter(disposition, 'filename') };
  }

  async *part(): AsyncGenerator<Uint8Array> {
    for (let isOver = !this.#inPart; !isOver;) {
      const piece = this.#next();
      if (piece.length > 0) yield piece;
      isOver = await this.#partIsOver();
    }
  }

  async skipPart(): Promise<void> {
    for (let isOver = !this.#inPart; !isOver; isOver = await this.#partIsOver()) this.#next();
  }

  /** Whether the delimiter has come; reads on while it has not. */
  async #partIsOver(): Promise<boolean> {
    if (this.#inPart) await this.#more();
    return !this.#inPart;
  }

  async giveUp(): Promise<void> {
    await this.chunks.return(undefined);
  }

  /** Takes the bytes that surely belong to the part; its delimiter ends it. */
  #next(): Buffer {
    const at = this.#held.indexOf(this.#delimiter);
    this.#inPart = at < 0;
    // The last bytes may be the beginning of a delimiter.
    const end = at < 0 ? Math.max(0, this.#held.length - this.#delimiter.length + 1) : at;
    const piece = this.#held.subarray(0, end);
    this.#held = this.#held.subarray(at < 0 ? end : end + this.#delimiter.length);
    return piece;
  }

  async #more(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done) throw badRequest('the form ends before its last boundary');
    this.#held = Buffer.concat([this.#held, next.value]);
  }
}

function parameter(disposition: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}="((?:\\\\.|[^"\\\\])*)"`, 'i').exec(disposition)?.[1];
  return found?.replaceAll(/\\(.)/g, '$1');
}
