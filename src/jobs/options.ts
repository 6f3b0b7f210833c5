/** The options that every command which makes a job, and may wait for it, has alike. */
import type { Options } from '../cli/declaration.js';

/** How long a job, or an answer of support, is waited for unless --timeout says otherwise. */
export const usualPatienceMs = 30 * 60_000;

/** Of every command that goes on with an earlier run of the same request. */
export const newRun = {
  type: 'switch',
  summary: 'make and pay for another, where an earlier run of this did not end',
  heading: 'Money',
} as const;

/** Whether to wait for the job, and where its results go. */
export const resultOptions = {
  wait: {
    type: 'switch',
    negated: true,
    summary: 'print the id of the job at once; it goes on by itself',
    heading: 'Result',
  },
  output: {
    type: 'text',
    short: 'o',
    value: 'FILE|DIR/|-',
    summary: 'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout',
    completes: 'file',
    heading: 'Result',
  },
  force: { type: 'switch', summary: 'replace the file of -o', heading: 'Result' },
  open: {
    type: 'switch',
    summary: "show the first result with the system's viewer",
    heading: 'Result',
  },
} as const satisfies Options;
