/** The text of a web page, or of a file, at an address that is not the service's: it gets no key. */
import type { Context } from '../context.js';
import { NetworkError, UsageError } from '../errors.js';
import { createTransport } from '../http/attempt.js';
import { download } from '../http/download/download.js';
import { DownloadRefused } from '../http/download/request.js';
import { AttemptFailed } from '../http/types.js';
import { fileKindOf, textIn } from '../lib/file-kind.js';
import { GrowingBytes } from '../lib/growing.js';
import { plainText } from '../lib/plain-text.js';

const limitMs = 10_000;
const maxPageBytes = 5_000_000;

/**
 * @param flag which names the page, and begins the errors
 * @throws UsageError for what is no page of text; NetworkError where another try may help
 */
export async function pageText(context: Context, source: string, flag: string): Promise<string> {
  const { clock, env, flags, signal, timeLimit, version } = context;
  const details = { code: 'no_page', hint: 'save it in a browser, and name the file' } as const;
  const refusal = (reason: string) =>
    new UsageError(`${flag}: ${plainText(source, 200)}: ${reason}`, details);
  if (!URL.canParse(source)) throw refusal('it is not a URL');
  const bytes = new GrowingBytes();
  // The embedded service has no pages of others.
  const client = env['SVC_TAPE'] && !flags.local ? await context.client() : undefined;
  await download({
    transport: client?.tape ? client.transport : createTransport({ env }),
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
