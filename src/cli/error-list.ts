/** The table of error codes for people and programs; loaded when it is asked for. */
import { errorCodes } from '../error-codes.js';
import { exits } from '../exit-codes.js';

/** Each code with its usual exit codes. After part of the work, any of them ends with exit 12. */
export function errorList() {
  return Object.entries(errorCodes).map(([code, [names, meaning, next]]) => {
    return { code, exits: names.map((name) => exits[name][0]), meaning, next };
  });
}
