import { expect, it } from 'vitest';
import { progressLine } from '../../../src/jobs/collect.js';

it.each([
  [[], 1, 'downloading'],
  [[], 3, 'downloading 3 files'],
  [[{ bytes: 5000, totalBytes: undefined }], 1, 'downloading 5.0 kB'],
  [[{ bytes: 500, totalBytes: 1000 }], 2, 'downloading 2 files 500 B'],
  [[{ bytes: 500, totalBytes: 1000 }], 1, 'downloading ██████████░░░░░░░░░░ 500 B of 1.0 kB'],
  [
    [
      { bytes: 1000, totalBytes: 1000 },
      { bytes: 1000, totalBytes: 1000 },
    ],
    2,
    'downloading 2 files ████████████████████ 2.0 kB of 2.0 kB',
  ],
  [[{ bytes: 0, totalBytes: 0 }], 1, 'downloading'],
])('shows %j of %i downloads', (all, count, line) => {
  expect(progressLine(all, count)).toBe(line);
});
