import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { asked, contentOf, cutAt, letters, speaking } from './book.js';
import { talker } from './talker.js';

describe('pieces that an earlier run kept', () => {
  it('are not paid for again where --force replaces the file', async () => {
    const { at, path, speak } = await speaking();
    writeFileSync(path, 'an older book');
    cutAt(at, 3);
    await speak('--force');
    const before = asked(at);
    at.instead = () => false;
    expect((await speak('--force')).code).toBe(0);
    const again = asked(at).slice(before.length);
    expect(again).toContain('c');
    expect(again).not.toContain('a');
    expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
  });

  it('go with --force when they are of other speech', async () => {
    const { at, path, speak } = await speaking();
    cutAt(at, 3);
    await speak('--voice', 'tenor');
    const { length } = asked(at);
    at.instead = () => false;
    expect((await speak('--force')).code).toBe(0);
    expect(asked(at).slice(length)).toEqual(letters);
    expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
  });

  it('are not used when nobody knows what they say', async () => {
    const { at, path, speak } = await speaking();
    cutAt(at, 3);
    await speak();
    at.instead = () => false;
    const { length } = at.requests;
    writeFileSync(join(`${path}.parts`, 'pieces.json'), '');
    const result = await speak('--resume');
    expect(result.code).toBe(11);
    expect(result.stderr).toContain('what says of what is damaged');
    expect(at.requests).toHaveLength(length);
    expect((await speak('--force')).code).toBe(0);
    expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
  });
});

it.runIf(canMount)('a disk that is full says that what it could not take may cost', async () => {
  const at = await talker();
  const path = join(smallDisk(16), 'a.wav');
  const result = await at.svc(['speak', '-m', 'v', '-o', path, '--', 'a'.repeat(9900)]);
  expect(result.code).toBe(11);
  expect(result.stderr).toBe(
    `error: cannot write ${path}.part: the disk is full\nhint: free some space, then run it again; it may have been charged: \`svc usage list\` shows it\n`,
  );
});
