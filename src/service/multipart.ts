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
    // What precedes the first delimiter is skipped like a part.
    await form.skip();
    for (let count = 0; !(await form.isOver()); count += 1) {
      if (count === mostParts) throw badRequest(`the form has more than ${mostParts} parts`);
      const head = headOf(await form.headText());
      yield { ...head, bytes: form.part() };
      await form.skip();
    }
  } finally {
    await form.chunks.return(undefined);
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
  #inPart = true;
  readonly #delimiter: Buffer;

  constructor(
    readonly chunks: AsyncGenerator<Uint8Array>,
    delimiter: string,
  ) {
    this.#delimiter = Buffer.from(delimiter, 'latin1');
  }

  /** Whether the delimiter just passed was the last one. */
  async isOver(): Promise<boolean> {
    while (this.#held.length < 2) await this.#more();
    return this.#held.toString('latin1', 0, 2) === '--';
  }

  async headText(): Promise<string> {
    const end = lineEnd + lineEnd;
    while (!this.#held.includes(end)) {
      if (this.#held.length > longestHead) throw badRequest('the head of a form part is too long');
      await this.#more();
    }
    const at = this.#held.indexOf(end);
    const text = this.#held.toString('utf8', 0, at);
    this.#held = this.#held.subarray(at + end.length);
    this.#inPart = true;
    return text;
  }

  /** The bytes that are left of the part, up to its delimiter. */
  async *part(): AsyncGenerator<Uint8Array> {
    while (this.#inPart) {
      const at = this.#held.indexOf(this.#delimiter);
      this.#inPart = at < 0;
      // The last bytes may be the beginning of a delimiter.
      const end = at < 0 ? Math.max(0, this.#held.length - this.#delimiter.length + 1) : at;
      const piece = this.#held.subarray(0, end);
      this.#held = this.#held.subarray(at < 0 ? end : end + this.#delimiter.length);
      if (piece.length > 0) yield piece;
      if (this.#inPart) await this.#more();
    }
  }

  async skip(): Promise<void> {
    const rest = this.part();
    while (!(await rest.next()).done);
  }

  async #more(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done) throw badRequest('the form ends before its last boundary');
    this.#held = Buffer.concat([this.#held, next.value]);
  }
}

function headOf(text: string): Omit<FormPart, 'bytes'> {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(text)?.[1] ?? '';
  const [name, fileName] = ['name', 'filename'].map((parameter) => {
    const quoted = new RegExp(`;\\s*${parameter}="((?:\\\\.|[^"\\\\])*)"`, 'i');
    return quoted.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, '$1');
  });
  if (name === undefined) throw badRequest('a form part has no name');
  return { name, fileName };
}
