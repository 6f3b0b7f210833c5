import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claimOnly } from '../../src/files/claim.js';
import { bundle } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';
import { linesOf } from '../../test/helpers/killed-process.js';

it('a part file can be taken after kill -9 at any moment', { timeout: 60_000 }, async () => {
  const script = await bundle('bench/soak/claim-process.ts');
  onTestFinished(() => {
    rmSync(dirname(script), { recursive: true });
  });
  const path = join(testFolder(), 'a.png');
  let claims = 0;
  for (let round = 0; round < 20; round += 1) {
    const lines = await linesOf([script, path], { afterLines: 5, delayMs: Math.random() * 4 });
    // Its first word is that it is ready.
    claims += lines.length - 2;
    expect(lines.filter((line) => line.includes('cannot'))).toEqual([]);
  }
  expect(claims).toBeGreaterThan(100);
  const claim = await claimOnly(path, () => true);
  if (typeof claim === 'string') throw new Error(claim);
  await claim.leave();
});
