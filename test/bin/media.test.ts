import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { svc } from './svc.js';

it('the real svc reads the picture that it made, and enlarges it', async () => {
  const options = { cwd: testFolder(), env: { SVC_LOCAL_JOB_TIME: '0' } };
  const draw = ['local/canvas', 'a sea', '--opt', 'quality=draft', '-o', 'small.png'];
  const enlarge = ['local/upscale', '--input', 'small.png', '-o', 'large.png'];
  for (const words of [draw, enlarge]) {
    const result = await svc(['--local', 'generate', ...words], options);
    expect(result).toMatchObject({ code: 0 });
  }
  expect(PNG.sync.read(readFileSync(join(options.cwd, 'large.png'))).width).toBe(2048);
});
