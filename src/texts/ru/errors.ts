import type { ErrorTexts } from '../errors.js';
import { codes } from './codes.js';
import { exits, refusals } from './exits.js';
import { fileReasons } from './file-reasons.js';

const topics: Readonly<Record<string, string>> = {
  errors: 'Коды ошибок, их коды завершения и что делать дальше.',
  'exit-codes': 'Коды завершения и что они значат.',
};

export const errors: ErrorTexts = {
  words: (code) => {
    const [meaning, next] = codes[code];
    return { meaning, next };
  },
  exit: (name) => exits[name],
  refusal: (status) => refusals[status],
  fileReason: (code) => fileReasons[code],
  exitCodes: (exits) => `${exits.length > 1 ? 'коды' : 'код'} завершения ${exits.join(', ')}`,
  about: (topic) => topics[topic],
  label: 'пояснение:',
};
