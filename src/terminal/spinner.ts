import ora from 'ora';
import type { Writable } from 'node:stream';
import { withColouredCounts } from './meaning.js';
import { sanitise, type Style } from './screen.js';
import { startTicker } from './ticker.js';
import type { Spinner } from './types.js';

export function startSpinner(
  stream: Writable,
  text: string,
  style: Style,
  end?: AbortSignal,
): Spinner {
  const shown = (words: string) => withColouredCounts(sanitise(words), style);
  const spinner = ora({
    text: shown(text),
    stream,
    color: style('waiting', '') === '' ? false : 'yellow',
    // stdin may contain piped text.
    discardStdin: false,
    isEnabled: true,
  }).start();
  const ticks = startTicker(text, (words) => (spinner.text = shown(words)), end);
  const stop = (): void => {
    ticks.stop();
    spinner.stop();
  };
  end?.addEventListener('abort', stop, { once: true });
  return { ...ticks, stop };
}
