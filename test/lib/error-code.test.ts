import { expect, test } from 'vitest';
import { codeOf } from '../../src/lib/error-code.js';

test.each([
  [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT'],
  [Object.assign(new Error('odd'), { code: 5 }), undefined],
  [new Error('plain'), undefined],
  [{ code: 'ERR_OF_ANOTHER_CONTEXT' }, 'ERR_OF_ANOTHER_CONTEXT'],
  [null, undefined],
  ['ENOENT', undefined],
])('%j has the code %s', (error, code) => {
  expect(codeOf(error)).toBe(code);
});
