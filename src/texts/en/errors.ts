import { usualHints } from '../../api/failure.js';
import { statusMeanings } from '../../contract/endpoint.js';
import { fileReasons } from '../../files/file-trouble.js';
import { errorCodes } from '../../error-codes.js';
import { exits } from '../../exit-codes.js';
import type { ErrorTexts } from '../errors.js';

export const errors: ErrorTexts = {
  words: (code) => {
    const [, meaning, next] = errorCodes[code];
    return { meaning, next };
  },
  exit: (name) => exits[name][1],
  refusal: (status) => ({ meaning: statusMeanings[status] ?? '', next: usualHints[status] }),
  fileReason: (code) => fileReasons[code],
  exitCodes: (exits) => `exit ${exits.join(', ')}`,
  about: () => undefined,
  label: 'meaning:',
};
