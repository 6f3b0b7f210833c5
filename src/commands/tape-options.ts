/** The options of a tape, for each command that forwards or answers requests of other programs. */
import { integer, text } from '../command.js';

export const tapeOptions = {
  record: text('TAPE', 'keep each request with its answer in this file, without secrets'),
  replay: text('TAPE', 'answer from this file: without network, key and price', {
    completes: 'file',
  }),
  speed: integer('N', 'of --replay: 0 answers at once, 1 in the recorded time', {
    default: '0',
    min: 0,
    max: 1,
  }),
  onMiss: text('WHAT', 'of --replay: what happens to a request that is not on the tape', {
    choices: ['fail', 'record'],
    default: 'fail',
  }),
} as const;

export const tapeConflicts = [['--record', '--replay']] as const;
export const tapeNeeds = [
  ['--speed', '--replay'],
  ['--on-miss', '--replay'],
] as const;
