import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/lib/own-file.js';

describe.skipIf(!existsSync('/proc/self'))('a folder that cannot be made', () => {
  it('is an error where a parent exists that takes none, and no endless search', () => {
    expect(() => {
      makeFolder('/proc/nope/deeper/still');
    }).toThrow(/ENOENT/);
  });
});
