/** Options shared by the commands that create a job and may wait for it. */
import { duration, flag, output, under } from '../command.js';

/** In the help of what pays: `writeCost` writes the line. */
export const priceNote = 'The price goes to stderr on a terminal, for a coding agent and with -v.';

/** How long to wait for a job, or an answer from support, without --timeout. */
export const defaultWaitMs = 30 * 60_000;

export const newRun = flag('start and pay for another run, even if an earlier one can be resumed', {
  heading: 'Money',
});

/** Of what may be answered from the cache (api/cache.ts). */
export const cacheOption = under('Money', {
  cache: duration(
    'TIME',
    'take an answer to the same request of the last 24h, or TIME, for 0 RUB',
    {
      bare: '24h',
      also: '--no-cache',
      min: 0,
    },
  ),
});

/** Of what makes its results while one waits. */
export const savedOptions = {
  ...output(
    'FILE|DIR/|-',
    'where to save results; accepts {model}, {job}, {index}, {ext}; - is stdout',
  ),
  open: flag('open the first result in the system viewer'),
  preview: flag('preview images in this terminal'),
};

export const resultOptions = {
  wait: flag('print the job id and exit; the job continues without svc', { negated: true }),
  ...savedOptions,
};
