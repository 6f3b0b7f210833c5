import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { svc } from './svc.js';

it('the real svc makes a recording, reads a picture, and enlarges it', async () => {
  const options = { cwd: testFolder(), env: { SVC_LOCAL_JOB_TIME: '0' } };
  writeFileSync(join(options.cwd, 'small.png'), PNG.sync.write(new PNG({ width: 40, height: 30 })));
  const speak = ['local/voice', 'a sea', '-o', 'sea.wav'];
  const enlarge = ['local/upscale', '--input', 'small.png', '-o', 'large.png'];
  for (const words of [speak, enlarge]) {
    const result = await svc(['--local', 'generate', ...words], options);
    expect(result).toMatchObject({ code: 0 });
  }
  expect(PNG.sync.read(readFileSync(join(options.cwd, 'large.png'))).width).toBe(80);
});
