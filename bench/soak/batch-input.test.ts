import { closeSync, openSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInput } from '../../src/batch/input.js';
import { contextOver } from '../../test/helpers/context.js';
import { testFolder } from '../../test/helpers/folder.js';

it('refuses a line of 200 MB without reading it into memory', async () => {
  const path = join(testFolder(), 'in.txt');
  closeSync(openSync(path, 'w'));
  truncateSync(path, 200_000_000);
  const beforeMb = process.memoryUsage().rss / 1e6;
  const input = await openInput(contextOver({}).context, path, { model: 'm' });
  const message = 'line 1 is longer than 71.0 MB, which no request may be';
  await expect(input.check(() => undefined)).rejects.toThrow(message);
  await input.close();
  expect(process.memoryUsage().rss / 1e6 - beforeMb).toBeLessThan(120);
});
