import ora from 'ora';
import type { Writable } from 'node:stream';
import { sanitise } from './screen.js';

export function startSpinner(stream: Writable, text: string, colour: boolean) {
  const spinner = ora({
    text,
    stream,
    color: colour ? 'cyan' : false,
    // stdin may contain piped text.
    discardStdin: false,
    isEnabled: true,
  }).start();
  let words: string | (() => string) = text;
  const show = () => {
    spinner.text = sanitise(typeof words === 'string' ? words : words());
  };
  const ticks = setInterval(show, 1000);
  return {
    /** A function is called again each second. */
    update: (changed: string | (() => string)): void => {
      words = changed;
      show();
    },
    stop: (): void => {
      clearInterval(ticks);
      spinner.stop();
    },
  };
}
