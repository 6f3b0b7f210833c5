/** Downloads a file, whole or not at all. */
import { Incomplete } from '../../errors.js';
import type { Target } from '../../files/target.js';
import { kindByContentType } from '../../lib/file-kind.js';
import { AttemptFailed, BodyCut } from '../types.js';
import { Meter } from './meter.js';
import { sourceIdOf } from './source-id.js';
import { StreamStore } from './stream-store.js';
import { Transfer } from './transfer.js';
import { TooLarge, type Downloaded, type Downloading, type StreamTarget } from './types.js';

/**
 * Downloads what a link leads to. A file is written as NAME.part and gets its name when it is
 * whole; what breaks off is fetched on from there, in this run and in the next, where the service
 * proves by a strong ETag that it is still the same.
 * @throws DownloadRefused when the service answers with no file; TooLarge; AttemptFailed or BodyCut
 * when it was not reached, broke off before the first byte, or was aborted; Incomplete when a part
 * is there; LocalFileError for the disk, or a name that is taken.
 */
export function download(options: Downloading): Promise<Downloaded> {
  const { to } = options;
  return to.kind === 'stream' ? intoStream(options, to) : intoFile(options, to);
}

async function intoStream(options: Downloading, to: StreamTarget): Promise<Downloaded> {
  const store = new StreamStore(to);
  const meter = new Meter(options);
  try {
    await new Transfer(options, store, meter).run();
  } catch (error) {
    throw store.bytes > 0 ? broken(error, `after ${store.bytes} bytes`) : error;
  }
  meter.end(store.bytes);
  const mediaType = kindByContentType(store.version?.contentType)?.mediaType;
  return { path: undefined, bytes: store.bytes, mediaType, resumed: false };
}

async function intoFile(options: Downloading, to: Target): Promise<Downloaded> {
  const { PartFile } = await import('../../files/part-file.js');
  const { clock, url } = options;
  const file = await PartFile.open(to, { sourceId: await sourceIdOf(url), clock });
  const meter = new Meter(options);
  const kept = file.version;
  try {
    await new Transfer(options, file, meter).run();
    meter.end(file.bytes);
    const { bytes, version } = file;
    const { path, mediaType } = await file.finish();
    return { path, bytes, mediaType, resumed: kept !== undefined && version === kept };
  } catch (error) {
    // Nobody will go on with it: nothing of it is kept.
    if (error instanceof TooLarge) await file.begin({}).catch(() => undefined);
    const { keptBytes } = await file.abandon();
    if (keptBytes === 0) throw error;
    const onward = file.version?.etag === undefined ? '' : ': it goes on where it stopped';
    throw broken(error, `${keptBytes} bytes of it are in ${file.path}`, `run it again${onward}`);
  }
}

/** What broke off says how much there is. An abort, a refusal and a full disk speak for themselves. */
function broken(error: unknown, kept: string, hint?: string): unknown {
  if (error instanceof Incomplete) {
    const { code, message } = error;
    return new Incomplete(`${message}; ${kept}`, { code, hint: error.hint, cause: error });
  }
  if (!(error instanceof AttemptFailed || error instanceof BodyCut)) return error;
  if (error.reason === 'aborted') return error;
  return new Incomplete(`${error.message}; ${kept}`, { code: 'truncated', hint, cause: error });
}
