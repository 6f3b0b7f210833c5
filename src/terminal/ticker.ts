import type { Spinner } from './types.js';

/**
 * Words that change: shown at once, at each change, and again each second.
 * @param end ends it; `stop` may be called more than once.
 */
export function startTicker(
  text: string,
  show: (words: string) => void,
  end?: AbortSignal,
): Spinner {
  let words: string | (() => string) = text;
  const tell = () => show(typeof words === 'string' ? words : words());
  const ticks = setInterval(tell, 1000);
  const stop = (): void => clearInterval(ticks);
  if (end?.aborted) stop();
  else tell();
  end?.addEventListener('abort', stop, { once: true });
  return {
    update: (changed) => {
      words = changed;
      tell();
    },
    stop,
  };
}
