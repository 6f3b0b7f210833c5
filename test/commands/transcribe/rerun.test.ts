/** The same recording transcribed again after a run that did not end is not paid for unasked. */
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { listener } from './listener.js';
import { wav } from '../../lib/audio/files.js';

async function scene() {
  const at = await listener();
  const home = testFolder();
  const path = at.file('a.wav', wav(Buffer.alloc(400, 1)));
  const svc = (...more: string[]) => at.svc([path, ...more], { home });
  return { ...at, svc };
}

describe('a recording of one part', () => {
  it('whose answer got lost is not paid for again unasked', async () => {
    const { bent, posts, svc } = await scene();
    bent.instead = (_, response) => {
      response.socket?.destroy();
      return true;
    };
    expect((await svc()).code).toBe(10);
    bent.instead = () => false;
    const again = await svc();
    expect(again).toMatchObject({ code: 10, stdout: '' });
    expect(again.stderr).toContain('to pay for another, give --new\n');
    expect(posts()).toHaveLength(1);
    expect(await svc('--new')).toMatchObject({ code: 0, stdout: 'what it says' });
    expect(await svc()).toMatchObject({ code: 0 });
    expect(posts()).toHaveLength(3);
  });
});
