import { expect, test } from 'vitest';
import { globalOptions } from '../../src/cli/globals.js';
import { timeoutsFor } from '../../src/http/deadline.js';
import { parseDuration } from '../../src/lib/duration.js';

test('the limits that help shows are those in force', () => {
  expect({
    connectMs: parseDuration(globalOptions.connectTimeout.default),
    firstByteMs: parseDuration(globalOptions.firstByteTimeout.default),
    idleMs: parseDuration(globalOptions.idleTimeout.default),
  }).toEqual(timeoutsFor(false));
  const slow = / (\w+) where it is made meanwhile$/.exec(globalOptions.firstByteTimeout.summary);
  expect(parseDuration(slow?.[1] ?? '')).toBe(timeoutsFor(true).firstByteMs);
});
