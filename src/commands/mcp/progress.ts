/** notifications/progress of one request: some clients give up on a call that is silent for a minute. */
import type { Clock } from '../../lib/clock.js';
import { formatElapsed } from '../../lib/duration.js';
import { fieldText, keepDigits, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';

/** With this, news and repetitions together are at most 20 s apart. */
const lookMs = 10_000;

/** Where progress goes, and the time by which it is repeated. */
interface Showing {
  readonly clock: Clock;
  readonly send: (message: object) => Promise<void>;
  /** Aborted with the answer or a cancel, after which nothing is sent. */
  readonly ended: AbortSignal;
}

/** Tells the client that asked for it what a spinner would show: all news once, and the last again while there is none. */
export function progressTo(meta: JsonRecord, { clock, send, ended }: Showing) {
  const { progressToken } = meta;
  if (progressToken === undefined) return undefined;
  const startedAtMs = clock.now();
  let [progress, latest, sentAtMs] = [0, '', startedAtMs];
  const tell = (message: string): void => {
    if (ended.aborted) return;
    [progress, sentAtMs] = [progress + 1, clock.now()];
    const params = { progressToken, progress, message };
    keepDigits(params, 'progressToken', fieldText(meta, 'progressToken'));
    void send({ method: 'notifications/progress', params, jsonrpc: '2.0' });
  };
  const repeat = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(lookMs, ended);
      const nowMs = clock.now();
      const elapsed = formatElapsed(nowMs - startedAtMs);
      if (nowMs - sentAtMs >= lookMs) tell(`${latest || 'running'} (${elapsed})`);
    }
  };
  // It ends when the signal aborts.
  repeat().catch(() => undefined);
  return (words: string): void => {
    const message = plainText(words.replace(/[█░]+ /, ''));
    if (message === latest) return;
    latest = message;
    tell(message);
  };
}
