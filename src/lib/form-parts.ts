/** Reads a form with files (multipart/form-data) in pieces, never as a whole. */

export interface FormPart {
  readonly name: string;
  /** The sender's name of the file; absent for other parts. */
  readonly fileName?: string;
  /** Readable once, before the next part; an unread rest is skipped. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const maxHeadBytes = 16 * 1024;
const maxParts = 100;
const lineEnd = '\r\n';
const headEnd = lineEnd + lineEnd;

/** @param fault makes the error for a body that is not such a form */
export async function* formParts(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  fault: (message: string) => Error,
): AsyncGenerator<FormPart> {
  const chunks = body[Symbol.asyncIterator]();
  const delimiter = Buffer.from(`${lineEnd}--${boundary}`, 'latin1');
  // The first delimiter may be at the very start, without a line end before it.
  let buffered: Buffer = Buffer.from(lineEnd);
  let inPart = true;
  const more = async () => {
    const next = await chunks.next();
    if (next.done) throw fault('the form ends before its last boundary');
    buffered = Buffer.concat([buffered, next.value]);
  };
  /** The remaining bytes of the part, up to its delimiter. */
  async function* part(): AsyncGenerator<Uint8Array> {
    while (inPart) {
      const at = buffered.indexOf(delimiter);
      inPart = at < 0;
      // The last bytes may be the start of a delimiter.
      const end = at < 0 ? Math.max(0, buffered.length - delimiter.length + 1) : at;
      const piece = buffered.subarray(0, end);
      buffered = buffered.subarray(at < 0 ? end : end + delimiter.length);
      if (piece.length > 0) yield piece;
      if (inPart) await more();
    }
  }
  try {
    for (let count = 0; ; count += 1) {
      // The text before the first delimiter is skipped.
      const rest = part();
      while (!(await rest.next()).done);
      while (buffered.length < 2) await more();
      if (buffered.toString('latin1', 0, 2) === '--') return;
      if (count === maxParts) throw fault(`the form has more than ${maxParts} parts`);
      while (!buffered.includes(headEnd)) {
        if (buffered.length > maxHeadBytes) throw fault('the headers of a form part are too long');
        await more();
      }
      const at = buffered.indexOf(headEnd);
      const head = headOf(buffered.toString('utf8', 0, at), fault);
      buffered = buffered.subarray(at + headEnd.length);
      inPart = true;
      yield { ...head, bytes: part() };
    }
  } finally {
    await chunks.return?.(undefined);
  }
}

/** Of a Content-Type; undefined where it is not that of a form with files. */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

function headOf(text: string, fault: (message: string) => Error): Omit<FormPart, 'bytes'> {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(text)?.[1] ?? '';
  const [name, fileName] = ['name', 'filename'].map((parameter) => {
    const quoted = new RegExp(`;\\s*${parameter}="((?:\\\\.|[^"\\\\])*)"`, 'i');
    return quoted.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, '$1');
  });
  if (name === undefined) throw fault('a form part has no name');
  return { name, fileName };
}
