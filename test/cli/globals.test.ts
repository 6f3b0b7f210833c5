import { expect, test } from 'vitest';
import { globalOptions } from '../../src/cli/globals.js';
import { defaultTimeouts } from '../../src/http/timeouts.js';
import { parseDuration } from '../../src/lib/duration.js';

test('the limits that help shows are those in force', () => {
  expect({
    connectMs: parseDuration(globalOptions.connectTimeout.default),
    firstByteMs: parseDuration(globalOptions.firstByteTimeout.default),
    idleMs: parseDuration(globalOptions.idleTimeout.default),
  }).toEqual(defaultTimeouts);
});
