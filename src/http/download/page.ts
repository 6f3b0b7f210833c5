/** The text of a web page, or of a file, at an address that is not the service's: it gets no key. */
import { NetworkError, UsageError } from '../../errors.js';
import type { Clock, TimeLimit } from '../../lib/clock.js';
import { fileKindOf, textIn } from '../../lib/file-kind.js';
import { GrowingBytes } from '../../lib/growing.js';
import { plainText } from '../../lib/plain-text.js';
import { AttemptFailed, type Transport } from '../types.js';
import { download } from './download.js';
import { DownloadRefused } from './request.js';

const limitMs = 10_000;
const maxPageBytes = 5_000_000;

/** What a page is fetched with, and within. */
interface PageFetch {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The limit of the whole command. */
  readonly timeLimit: TimeLimit | undefined;
  /** The version of svc, for the header User-Agent. */
  readonly version: string;
}

/**
 * @param flag which names the page, and begins the errors
 * @throws UsageError for what is no page of text; NetworkError where another try may help
 */
export async function pageText(
  source: string,
  flag: string,
  { clock, signal, timeLimit, transport, version }: PageFetch,
): Promise<string> {
  const details = { code: 'no_page', hint: 'save it in a browser, and name the file' } as const;
  const refusal = (reason: string) =>
    new UsageError(`${flag}: ${plainText(source, 200)}: ${reason}`, details);
  if (!URL.canParse(source)) throw refusal('it is not a URL');
  const bytes = new GrowingBytes();
  await download({
    transport,
    url: new URL(source),
    headers: { 'user-agent': `svc-cli/${version}` },
    to: { kind: 'stream', write: (piece) => bytes.add(piece) },
    timeouts: { connectMs: limitMs, firstByteMs: limitMs, idleMs: limitMs },
    deadlineMs: Math.min(limitMs, timeLimit?.leftMs() ?? limitMs),
    clock,
    signal,
    maxBytes: maxPageBytes,
    unwanted: (head) => fileKindOf(head)?.mediaType,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof DownloadRefused) error.response.discard();
    const reason = error instanceof Error ? error.message : '';
    const isFinal = !(error instanceof AttemptFailed) || error.reason === 'unwanted';
    if (isFinal) throw refusal(reason.replace('the service answered', 'the server answered'));
    throw new NetworkError(`${flag}: ${reason}`, { ...details, cause: error });
  });
  const text = textIn(bytes.toBuffer());
  if (!text?.trim()) throw refusal('it is not text');
  return text;
}
