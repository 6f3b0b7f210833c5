import { errorCodes } from '../../error-codes.js';
import { exits } from '../../exit-codes.js';
import type { ErrorTexts } from '../errors.js';

export const errors: ErrorTexts = {
  words: (code) => {
    const [, meaning, next] = errorCodes[code];
    return { meaning, next };
  },
  exit: (name) => exits[name][1],
  exitCode: 'exit',
  label: 'meaning:',
};
