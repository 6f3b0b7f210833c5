/** `svc batch merge`: joins the answers of several files, each request once. */
import { closeSync, openSync, readSync } from 'node:fs';
import { IdTable } from '../../batch/ids.js';
import { openInput } from '../../batch/input.js';
import { partsOf } from '../../batch/output-line.js';
import { eachLine } from '../../batch/results.js';
import type { Context, Handler } from '../../context.js';
import { Incomplete, UsageError } from '../../errors.js';
import { assertDifferent, statNamed } from '../../files/named-file.js';
import { PartFile } from '../../files/part-file.js';
import type { merge } from './index.js';

/** Where the line of a request is, with its end. */
interface Place {
  readonly handle: number;
  readonly at: number;
  readonly length: number;
  readonly isDone: boolean;
}

export const run: Handler<typeof merge> = async (context, { args, options }) => {
  const { output, order, force: replace = false } = options;
  assertDifferent([...args.output, output, order], 'the files that are read and -o');
  for (const path of args.output) await statNamed(path);
  const files = args.output.map((path) => ({ path, handle: openSync(path, 'r') }));
  try {
    const { ids, places } = placesIn(files);
    const ordered = order === undefined ? places : await inOrder(context, order, ids, places);
    const present = ordered.filter((place) => place !== undefined);
    const writeAll = async (take: (bytes: Buffer) => void | Promise<void>) => {
      for (const { at, handle, length } of present) {
        const bytes = Buffer.allocUnsafe(length);
        readSync(handle, bytes, 0, length, at);
        await take(bytes);
      }
    };
    const { out } = context;
    const print = (bytes: Buffer) =>
      out.isFiltered || out.isScreen ? out.jsonText(bytes.toString()) : out.bytes(bytes);
    if (output === undefined) await writeAll(print);
    else await (await PartFile.open({ kind: 'file', path: output, replace })).fill({}, writeAll);
    if (present.length === ordered.length) return;
    const missing = `${ordered.length - present.length} of ${ordered.length}`;
    const hint = '`svc batch run` with the same options sends what is missing';
    throw new Incomplete(`${missing} requests have no answer`, { code: 'batch_incomplete', hint });
  } finally {
    for (const { handle } of files) closeSync(handle);
  }
};

/** In the order of the files: the first answer to each request, or the first failure. */
function placesIn(files: readonly { path: string; handle: number }[]) {
  const ids = new IdTable();
  const places: Place[] = [];
  for (const { handle, path } of files) {
    let end = 0;
    eachLine(path, (bytes, from, to) => {
      const { idFrom, idTo, isDone } = partsOf(path, bytes, from, to);
      const place: Place = { handle, at: end, length: to + 1 - from, isDone };
      end += place.length;
      const id = ids.place(bytes, idFrom, idTo);
      // The table keeps the number of the place, from 1.
      const nth = ids.line(id) - 1;
      if (nth === -1) ids.setLine(id, places.push(place));
      else if (isDone && !places[nth]?.isDone) places[nth] = place;
    });
  }
  return { ids, places };
}

/** Undefined for a request without an answer. @throws UsageError for answers to other requests */
async function inOrder(context: Context, order: string, ids: IdTable, places: readonly Place[]) {
  const ordered: (Place | undefined)[] = [];
  const input = await openInput(context, order, {});
  for await (const names of input.ids()) {
    for (const id of names) ordered.push(places[ids.line(ids.placeOf(id)) - 1]);
  }
  await input.close();
  const others = places.length - ordered.filter((place) => place !== undefined).length;
  if (others === 0) return ordered;
  throw new UsageError(`${others} of the answers belong to no request of ${order}`, {
    code: 'other_input',
    hint: 'name the input of all these files, or omit --order',
  });
}
