/** The options of a tape, for each command that forwards or answers requests of other programs. */
import { integer, text } from '../command.js';

export const tapeOptions = {
  record: text('TAPE', 'record each request and its answer in this file, without secrets'),
  replay: text('TAPE', 'answer from this file, with no network, key or charge', {
    completes: 'file',
  }),
  speed: integer('N', 'with --replay: 0 answers at once, 1 at the recorded pace', {
    default: '0',
    min: 0,
    max: 1,
  }),
  onMiss: text('WHAT', 'with --replay: what to do with a request that is not on the tape', {
    choices: ['fail', 'record'],
    default: 'fail',
  }),
} as const;

/** Which of them exclude, and which need one another. */
export const tapeRules = {
  conflicts: [['--record', '--replay']],
  needs: [
    ['--speed', '--replay'],
    ['--on-miss', '--replay'],
  ],
} as const;
