/** The options that every command which makes a job, and may wait for it, has alike. */
import { flag, output, under } from '../cli/declaration.js';

/** How long a job, or an answer of support, is waited for unless --timeout says otherwise. */
export const defaultWaitMs = 30 * 60_000;

export const newRun = flag('make and pay for another, where an earlier run of this did not end', {
  heading: 'Money',
});

export const resultOptions = under('Result', {
  wait: flag('print the id of the job at once; it goes on by itself', { negated: true }),
  ...output(
    'FILE|DIR/|-',
    'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout',
  ),
  open: flag("show the first result with the system's viewer"),
});
