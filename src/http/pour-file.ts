/** The body of an answer that is a file. */
import { Incomplete } from '../errors.js';
import type { HttpResponse, Sink } from './types.js';

/**
 * Pours a file. Where only the end of the connection ends it, it is whole if its own format says so.
 * @param pour in place of the answer's own.
 * @throws Incomplete, after the last byte, when nothing shows that it is whole; what `pour` throws.
 */
export async function pourFile(
  response: HttpResponse,
  sink: Sink,
  pour: (sink: Sink) => Promise<void> = (to) => response.pour(to),
): Promise<void> {
  if (!response.endsWithLine) return pour(sink);
  const { FileEnd } = await import('../lib/file-end.js');
  const end = new FileEnd();
  await pour((piece) => {
    end.take(piece);
    return sink(piece);
  });
  if (end.isWhole) return;
  throw new Incomplete(
    'the file cannot be told to be whole: the service did not say how long it is, and the file itself does not show its end',
    { code: 'length_unknown', hint: 'look whether all of it is there before you ask for it again' },
  );
}
