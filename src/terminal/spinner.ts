import ora from 'ora';
import type { Writable } from 'node:stream';
import { sanitise } from './screen.js';
import { startTicker } from './ticker.js';
import type { Spinner } from './types.js';

export function startSpinner(
  stream: Writable,
  text: string,
  colour: boolean,
  end?: AbortSignal,
): Spinner {
  const spinner = ora({
    text: sanitise(text),
    stream,
    color: colour ? 'cyan' : false,
    // stdin may contain piped text.
    discardStdin: false,
    isEnabled: true,
  }).start();
  const ticks = startTicker(text, (words) => (spinner.text = sanitise(words)), end);
  const stop = (): void => {
    ticks.stop();
    spinner.stop();
  };
  end?.addEventListener('abort', stop, { once: true });
  return { ...ticks, stop };
}
