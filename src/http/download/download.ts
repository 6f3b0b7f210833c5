import { Incomplete } from '../../errors.js';
import type { Target } from '../../files/target.js';
import { kindByContentType } from '../../lib/file-kind.js';
import { AttemptFailed } from '../types.js';
import { TooLarge } from './request.js';
import type { Downloaded, Downloading, Store, StreamTarget, Version } from './request.js';
import { Transfer } from './transfer.js';

/** Resumes an earlier run. @throws DownloadRefused; TooLarge; Incomplete after the first byte. */
export async function download(options: Downloading): Promise<Downloaded> {
  const { to } = options;
  if (to.kind !== 'stream') return intoFile(options, to);
  const store = new StreamStore(to);
  try {
    await new Transfer(options, store).run();
  } catch (error) {
    throw store.bytes > 0 ? broken(error, `after ${store.bytes} bytes`) : error;
  }
  const mediaType = kindByContentType(store.version?.contentType)?.mediaType;
  return { path: undefined, bytes: store.bytes, mediaType, resumed: false };
}

async function intoFile(options: Downloading, to: Target): Promise<Downloaded> {
  const { PartFile } = await import('../../files/part-file.js');
  const file = await PartFile.open(to, await sourceIdOf(options.url));
  const earlier = file.version;
  try {
    await new Transfer(options, file).run();
    const { bytes, version } = file;
    const { path, mediaType } = await file.finish();
    return { path, bytes, mediaType, resumed: earlier !== undefined && version === earlier };
  } catch (error) {
    if (error instanceof TooLarge) await file.begin({}).catch(() => undefined);
    const { keptBytes } = await file.abandon();
    if (keptBytes === 0) throw error;
    const goesOn = file.version?.etag === undefined ? '' : ': it continues where it stopped';
    const where = `${keptBytes} bytes of it are in ${file.partPath}`;
    throw broken(error, where, `run it again${goesOn}`);
  }
}

/** An interrupted download reports its size, unless aborted, refused or out of disk space. */
function broken(error: unknown, where: string, hint?: string): unknown {
  if (error instanceof Incomplete) {
    return new Incomplete(`${error.message}; ${where}`, { hint: error.hint, cause: error });
  }
  if (!(error instanceof AttemptFailed) || error.reason === 'aborted') return error;
  return new Incomplete(`${error.message}; ${where}`, { code: 'truncated', hint, cause: error });
}

/** A stream as a store: it can continue, but not discard bytes. */
class StreamStore implements Store {
  bytes = 0;
  version: Version | undefined;
  readonly memory = undefined;
  readonly flush = () => Promise.resolve();

  constructor(private readonly to: StreamTarget) {}

  begin(version: Version): void {
    if (this.bytes > 0) {
      const words = `the file was cut off after ${this.bytes} bytes, and the service cannot resume it`;
      const hint = 'write it to a file with -o FILE, which can start over';
      throw new Incomplete(words, { code: 'truncated', hint });
    }
    this.version = version;
  }

  take(piece: Buffer): void | Promise<void> {
    this.bytes += piece.length;
    return this.to.write(piece);
  }
}

/** Parameters of a signature differ between links to the same file. */
const proof = /^(?:sig|signature|token|expires?|policy|key-pair-id|x-(?:amz|goog)-.*)$/i;

/** A digest keeps signatures off the disk. */
async function sourceIdOf(url: URL): Promise<string> {
  const plain = new URL(url);
  for (const name of [...plain.searchParams.keys()]) {
    if (proof.test(name)) plain.searchParams.delete(name);
  }
  plain.searchParams.sort();
  plain.hash = '';
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(plain.href).digest('hex').slice(0, 32);
}
