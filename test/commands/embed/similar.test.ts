import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf } from '../../../src/lib/json.js';
import { json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { scene } from './scene.js';

/** A service for which a text is the angle that it says. */
const angles = () =>
  scene((_number, body) =>
    json({
      data: listOf(body['input']).map((text, index) => {
        const angle = (Number(text) * Math.PI) / 180;
        return { index, embedding: [Math.cos(angle), Math.sin(angle)] };
      }),
    }),
  );

const similar = ['embed', '-m', 'vendor/embed', '--similar', '30'];
const stdin = '0\n40\n\n90\n29\n210\n';

describe('svc embed --similar', () => {
  it('ranks the lines by cosine, the nearest first', async () => {
    const { svc, posts } = await angles();
    const { stdout, stderr, code } = await svc([...similar, '-n', '3'], { stdin });
    expect({ stdout, stderr, code }).toEqual({
      stdout: '0.9998\t5\t29\n0.9848\t2\t40\n0.8660\t1\t0\n',
      stderr: '',
      code: 0,
    });
    expect(posts().map(({ input }) => input)).toEqual([['30'], ['0', '40', '90', '29', '210']]);
    expect(posts()[0]?.['encoding_format']).toBe('base64');
  });

  it('tells programs all there is', async () => {
    const { svc } = await angles();
    const { stdout } = await svc([...similar, '--json', '-n', '1'], { stdin });
    expect(JSON.parse(stdout)).toEqual({
      query: '30',
      compared: 5,
      results: [{ similarity: expect.closeTo(Math.cos(Math.PI / 180), 6), line: 5, text: '29' }],
      cost: { balanceRub: 12.5 },
    });
  });

  it('reads a file, in batches, and takes texts as arguments', async () => {
    const { svc, posts } = await angles();
    const file = join(testFolder(), 'lines.txt');
    writeFileSync(file, stdin);
    const { stdout } = await svc([...similar, '-f', file, '-n', '1', '--batch', '2']);
    expect(stdout).toBe('0.9998\t5\t29\n');
    expect(posts()).toHaveLength(4);
    expect((await svc([...similar, '-n', '1', '90', '31'])).stdout).toBe('0.9998\t2\t31\n');
  });
});
